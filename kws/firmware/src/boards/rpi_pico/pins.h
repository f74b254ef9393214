// SPDX-License-Identifier: Apache-2.0
// The chip's pins, GP0 to GP29.
#ifndef KWS_BOARDS_RPI_PICO_PINS_H_
#define KWS_BOARDS_RPI_PICO_PINS_H_

#include <cstdint>

namespace kws {
namespace board {

// Ends the pins' reset. Call it first.
void PinsInit();

// `function`: a value of FUNCSEL; `pull`: kPadPullUp, kPadPullDown or 0.
void Connect(uint32_t pin, uint32_t function, uint32_t pull = 0);

// Makes the pin an output, low.
void MakeOutput(uint32_t pin);
void Drive(uint32_t pin, bool high);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_RPI_PICO_PINS_H_
