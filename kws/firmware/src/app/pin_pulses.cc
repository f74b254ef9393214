// SPDX-License-Identifier: Apache-2.0
#include "app/pin_pulses.h"

#include "app/equality.h"
#include "boards/board.h"

namespace kws {

void PinPulses::Start() {
  for (size_t i = 0; i < count_; ++i) board::StartPin(pins_[i].pin);
}

void PinPulses::Hear(const char* label, uint32_t now_ms) {
  for (size_t i = 0; i < count_; ++i) {
    if (!IsSame(pins_[i].label, label)) continue;
    high_[i] = true;
    since_ms_[i] = now_ms;
    board::SetPin(pins_[i].pin, true);
  }
}

void PinPulses::Tick(uint32_t now_ms) {
  for (size_t i = 0; i < count_; ++i) {
    if (!high_[i] || now_ms - since_ms_[i] < kPulseMs) continue;
    high_[i] = false;
    bool shared = false;  // with another active pulse
    for (size_t k = 0; k < count_; ++k) shared |= high_[k] && pins_[k].pin == pins_[i].pin;
    if (!shared) board::SetPin(pins_[i].pin, false);
  }
}

}  // namespace kws
