// SPDX-License-Identifier: Apache-2.0
// Pins that keywords set, by pad number. A register holds four pads of eight bits, or eight pins of
// four bits, with the same layout; function 3 is GPIO for all (SVD, PADREGA to PADREGM).
#include "boards/board.h"
#include "boards/sparkfun_edge/apollo3.h"

namespace kws {
namespace board {
namespace {

void Replace(uint32_t address, uint32_t mask, uint32_t value) {
  Register(address) = (Register(address) & ~mask) | value;
}

}  // namespace

void StartPin(uint32_t pin) {
  SetPin(pin, false);
  const uint32_t pad_shift = pin % 4 * 8;
  const uint32_t pin_shift = pin % 8 * 4;
  Register(kPadKey) = kPadUnlock;
  Replace(kPads + pin / 4 * 4, 0xffu << pad_shift, kPad0Gpio << pad_shift);
  Replace(kPins + pin / 8 * 4, 0xfu << pin_shift, kPin0Output << pin_shift);
  Register(kPadKey) = 0;
}

void SetPin(uint32_t pin, bool high) {
  Register((high ? kPinsSetLow : kPinsClearLow) + pin / 32 * 4) = 1u << pin % 32;
}

}  // namespace board
}  // namespace kws
