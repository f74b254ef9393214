// SPDX-License-Identifier: Apache-2.0
// The device's LED, lit briefly for each detected word.
#ifndef KWS_APP_STATUS_LED_H_
#define KWS_APP_STATUS_LED_H_

#include <cstdint>

#include "kws/pipeline/pipeline.h"

namespace kws {

// Times are of any clock, in ms, modulo 2^32. On a board it is the board's: after a slow inference,
// the pipeline's time runs faster, and a word would be shown too briefly. Labels are as in
// board::SetLed.
class StatusLed {
 public:
  static constexpr uint32_t kShownMs = 600;
  // If the LED is already lit, it is dark for this time first, so that the new word is visible.
  static constexpr uint32_t kGapMs = 100;

  // `set` shows a label; 0: the LED is off.
  explicit StatusLed(void (*set)(int label)) : set_(set) {}

  // Call after each hop of the pipeline: shows a detected word, and the wake word while the second
  // bundle is active.
  void AfterHop(const Pipeline& pipeline, uint32_t now_ms);

  // Shows `label` (> 0) for kShownMs, then the idle label.
  void Show(int label, uint32_t time_ms);

  // Sets the idle label, shown when no word was detected recently; 0: off.
  void Rest(int label);

  // Call once a hop, before Show.
  void Tick(uint32_t time_ms);

  // Off, also when idle.
  void Reset();

 private:
  enum class State { kResting, kGap, kShowing };

  void Set(int label);

  void (*set_)(int label);
  State state_ = State::kResting;
  int label_ = 0;  // of the last word
  int resting_ = 0;
  int lit_ = 0;         // the label shown now
  uint32_t since_ = 0;  // start of the state
};

}  // namespace kws

#endif  // KWS_APP_STATUS_LED_H_
