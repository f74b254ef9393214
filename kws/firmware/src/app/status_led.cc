// SPDX-License-Identifier: Apache-2.0
#include "app/status_led.h"

namespace kws {

void StatusLed::AfterHop(const Pipeline& pipeline, uint32_t now_ms) {
  Tick(now_ms);
  const Detection& detection = pipeline.detection();
  int label = 0;
  if (detection.label != Detection::kNothing) {
    // The first keyword of each bundle has the same label.
    const bool first = pipeline.bundle_of(detection.label) == 0;
    label = first ? detection.label - pipeline.config().first_keyword
                  : detection.label - pipeline.config().label_count -
                        pipeline.commands()->config.first_keyword;
    label += Detector::kFirstKeyword;
    Show(label, now_ms);
  }
  if (!pipeline.listening()) {
    Rest(0);
  } else if (pipeline.changed()) {
    Rest(label);
  }
}

void StatusLed::Show(int label, uint32_t time_ms) {
  state_ = lit_ != 0 ? State::kGap : State::kShowing;
  label_ = label;
  since_ = time_ms;
  Set(state_ == State::kGap ? 0 : label);
}

void StatusLed::Rest(int label) {
  if (label == resting_) return;
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
  set_(label);
}

}  // namespace kws
