// SPDX-License-Identifier: Apache-2.0
// Pins that keywords set. Number 32 p + n is pin n of port p.
#include "boards/board.h"
#include "boards/nrf52840/nrf52840.h"

namespace kws {
namespace board {

namespace {

constexpr Pin Numbered(uint32_t pin) { return {pin / 32, pin % 32}; }

}  // namespace

void StartPin(uint32_t pin) {
  SetPin(pin, false);
  Configure(Numbered(pin), kPinOutput | kPinNoInput);
}

void SetPin(uint32_t pin, bool high) { Drive(Numbered(pin), high); }

}  // namespace board
}  // namespace kws
