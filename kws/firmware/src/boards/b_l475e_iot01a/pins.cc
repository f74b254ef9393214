// SPDX-License-Identifier: Apache-2.0
#include "boards/b_l475e_iot01a/pins.h"

#include "boards/b_l475e_iot01a/stm32l475.h"
#include "boards/board.h"

namespace kws {
namespace board {
namespace {

constexpr Pin Numbered(uint32_t pin) { return {pin / 16, pin % 16}; }

constexpr uint32_t Port(Pin pin) { return kPorts + pin.port * kPortBytes; }

// Field number `index` of several that are `bits` wide.
void Replace(uint32_t address, uint32_t index, uint32_t bits, uint32_t value) {
  const uint32_t mask = ((1u << bits) - 1) << index * bits;
  Register(address) = (Register(address) & ~mask) | value << index * bits;
}

}  // namespace

void PinsInit() {
  constexpr uint32_t kAll = kClockPortA | kClockPortB | kClockPortC | kClockPortD | kClockPortE;
  Register(kClockAhb2) |= kAll;
  // The clock is active two cycles later (RM 6.2.18), the time of this read.
  [[maybe_unused]] const uint32_t enabled = Register(kClockAhb2);
}

void SetMode(Pin pin, PinMode mode) {
  Replace(Port(pin) + kPortMode, pin.number, 2, static_cast<uint32_t>(mode));
}

void Drive(Pin pin, bool high) {
  Register(Port(pin) + kPortSet) = 1u << (high ? pin.number : pin.number + 16);
}

void Connect(Pin pin, uint32_t function, PinPull pull) {
  Replace(Port(pin) + kPortFunction + pin.number / 8 * 4, pin.number % 8, 4, function);
  Replace(Port(pin) + kPortPull, pin.number, 2, static_cast<uint32_t>(pull));
  SetMode(pin, PinMode::kFunction);
}

void StartPin(uint32_t pin) {
  SetPin(pin, false);
  SetMode(Numbered(pin), PinMode::kOutput);
}

void SetPin(uint32_t pin, bool high) { Drive(Numbered(pin), high); }

}  // namespace board
}  // namespace kws
