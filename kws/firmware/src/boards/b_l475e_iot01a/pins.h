// SPDX-License-Identifier: Apache-2.0
// The chip's pins, which are analog and unconnected after a reset.
#ifndef KWS_BOARDS_B_L475E_IOT01A_PINS_H_
#define KWS_BOARDS_B_L475E_IOT01A_PINS_H_

#include <cstdint>

namespace kws {
namespace board {

// Number 16 p + n is pin n of port p, 0 for A.
struct Pin {
  uint32_t port;
  uint32_t number;
};

enum class PinMode : uint32_t { kInput, kOutput, kFunction };  // values of MODER
enum class PinPull : uint32_t { kNone, kUp };                  // values of PUPDR

constexpr uint32_t kPortA = 0;
constexpr uint32_t kPortB = 1;
constexpr uint32_t kPortC = 2;
constexpr uint32_t kPortE = 4;

// Enables the clock of ports A to E. Call it first.
void PinsInit();

void SetMode(Pin pin, PinMode mode);
void Drive(Pin pin, bool high);

// Connects the pin to a peripheral: an alternate function (data sheet, tables 17 and 18).
void Connect(Pin pin, uint32_t function, PinPull pull = PinPull::kNone);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_B_L475E_IOT01A_PINS_H_
