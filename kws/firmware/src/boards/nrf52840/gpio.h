// SPDX-License-Identifier: Apache-2.0
// The pins of both ports.
#ifndef KWS_BOARDS_NRF52840_GPIO_H_
#define KWS_BOARDS_NRF52840_GPIO_H_

#include "boards/nrf52840/nrf52840.h"
#include "boards/nrf52840/pins.h"

namespace kws {
namespace board {

// The level of an output.
inline void Drive(Pin pin, bool high) {
  const uint32_t set = pin.port == 0 ? kPort0Set : kPort1Set;
  const uint32_t clear = pin.port == 0 ? kPort0Clear : kPort1Clear;
  Register(high ? set : clear) = pin.Mask();
}

// `config` is the pin's PIN_CNF.
inline void Configure(Pin pin, uint32_t config) {
  Register((pin.port == 0 ? kPort0Config : kPort1Config) + pin.number * 4) = config;
}

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_GPIO_H_
