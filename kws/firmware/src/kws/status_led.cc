// SPDX-License-Identifier: Apache-2.0
#include "kws/status_led.h"

namespace kws {

void StatusLed::Show(int label, uint32_t time_ms) {
  state_ = lit_ != 0 ? State::kGap : State::kShowing;
  label_ = label;
  since_ = time_ms;
  Set(state_ == State::kGap ? 0 : label);
}

void StatusLed::Rest(int label) {
  resting_ = label;
  if (state_ == State::kResting) Set(label);
}

void StatusLed::Tick(uint32_t time_ms) {
  const uint32_t passed = time_ms - since_;
  if (state_ == State::kGap && passed >= kGapMs) {
    state_ = State::kShowing;
    since_ = time_ms;
    Set(label_);
  } else if (state_ == State::kShowing && passed >= kShownMs) {
    state_ = State::kResting;
    Set(resting_);
  }
}

void StatusLed::Reset() {
  state_ = State::kResting;
  resting_ = 0;
  Set(0);
}

void StatusLed::Set(int label) {
  lit_ = label;
  output_->SetLed(label);
}

}  // namespace kws
