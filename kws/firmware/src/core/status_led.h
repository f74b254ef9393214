// SPDX-License-Identifier: Apache-2.0
// The LED of a device: a word lights it for a moment, each time.
#ifndef KWS_STATUS_LED_H_
#define KWS_STATUS_LED_H_

#include <cstdint>

#include "output.h"

namespace kws {

// Times are the pipeline's, in ms; they wrap at 2^32. Labels are classes, as in Output::SetLed.
class StatusLed {
 public:
  static constexpr uint32_t kShownMs = 600;
  // A word that finds the LED lit is dark for so long first, or nobody would see it come.
  static constexpr uint32_t kGapMs = 100;

  // `output` stays the caller's and must outlive the LED.
  explicit StatusLed(Output* output) : output_(output) {}

  // Shows `label` (> 0) for kShownMs, then what it rests at.
  void Show(int label, uint32_t time_ms);

  // What it shows when no word was just heard; 0: it is off.
  void Rest(int label);

  // Call once a hop.
  void Tick(uint32_t time_ms);

  // Off; it rests there.
  void Reset();

 private:
  enum class State { kResting, kGap, kShowing };

  void Set(int label);

  Output* output_;
  State state_ = State::kResting;
  int label_ = 0;  // of the word that is shown
  int resting_ = 0;
  int lit_ = 0;         // what the LED shows now
  uint32_t since_ = 0;  // of the state
};

}  // namespace kws

#endif  // KWS_STATUS_LED_H_
