// SPDX-License-Identifier: Apache-2.0
// The device's LED, lit briefly for each detected word.
#ifndef KWS_STATUS_LED_H_
#define KWS_STATUS_LED_H_

#include <cstdint>

#include "kws/output.h"

namespace kws {

// Times are those of the pipeline, in ms, modulo 2^32. Labels are as in Output::SetLed.
class StatusLed {
 public:
  static constexpr uint32_t kShownMs = 600;
  // If the LED is already lit, it is dark for this time first, so that the new word is visible.
  static constexpr uint32_t kGapMs = 100;

  // The caller owns `output`, which must outlive this object.
  explicit StatusLed(Output* output) : output_(output) {}

  // Shows `label` (> 0) for kShownMs, then the idle label.
  void Show(int label, uint32_t time_ms);

  // Sets the idle label, shown when no word was detected recently; 0: off.
  void Rest(int label);

  // Call once a hop.
  void Tick(uint32_t time_ms);

  // Off, also when idle.
  void Reset();

 private:
  enum class State { kResting, kGap, kShowing };

  void Set(int label);

  Output* output_;
  State state_ = State::kResting;
  int label_ = 0;  // of the last word
  int resting_ = 0;
  int lit_ = 0;         // the label shown now
  uint32_t since_ = 0;  // start of the state
};

}  // namespace kws

#endif  // KWS_STATUS_LED_H_
