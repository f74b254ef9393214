// SPDX-License-Identifier: Apache-2.0
#include "boards/rpi_pico/pins.h"

#include "boards/board.h"
#include "boards/rpi_pico/clock.h"
#include "boards/rpi_pico/rp2040.h"

namespace kws {
namespace board {

void PinsInit() {
  Register(kReset + kSetBits) = kResetPins | kResetPads;
  StartPeripherals(kResetPins | kResetPads);
}

void Connect(uint32_t pin, uint32_t function, uint32_t pull) {
  Register(kPad + pin * kPadBytes) = kPadInput | kPad4Ma | kPadSchmitt | pull;
  Register(kPinControl + pin * kPinControlBytes) = function;
}

void MakeOutput(uint32_t pin) {
  Drive(pin, false);
  Register(kPinsOutput) = 1u << pin;
  Connect(pin, kPinSoftware);
}

void Drive(uint32_t pin, bool high) { Register(high ? kPinsSet : kPinsClear) = 1u << pin; }

void StartPin(uint32_t pin) { MakeOutput(pin); }

void SetPin(uint32_t pin, bool high) { Drive(pin, high); }

}  // namespace board
}  // namespace kws
