// SPDX-License-Identifier: Apache-2.0
// Words that were nearly heard: the score came near, but there was no detection. For live views of
// the host and the browser; firmware does not link it.
#ifndef KWS_PIPELINE_NEAR_MISSES_H_
#define KWS_PIPELINE_NEAR_MISSES_H_

#include <cstdint>

#include "kws/pipeline/pipeline.h"
#include "kws/pipeline/recognizer.h"
#include "kws/pipeline/second_look.h"

namespace kws {

// A word that was nearly heard.
struct NearMiss {
  int label;          // numbered as in Pipeline::label
  uint8_t score;      // 0..255: the highest mean score, or the second model's highest score
  uint8_t threshold;  // which it had to exceed
  uint32_t time_ms;   // of this score, in ms since the first sample, modulo 2^32
};

// The rule for one keyword. Without a second look: its mean score reaches half of its threshold.
// With one: its score for a proposal does, and it refuses. In both cases there is no detection of
// this keyword within kApartMs before and after the highest score.
class NearMissRule {
 public:
  static constexpr uint32_t kApartMs = 1500;
  static constexpr int kNone = -1;

  // Of one hop, 0..255.
  struct Scores {
    uint8_t threshold;
    uint8_t mean;
    int proposal;  // kNone: no second look
    int looked;    // the second model's score; kNone: it did not look
  };

  // A detection of this keyword; comes before the Add of its hop.
  void Heard(uint32_t time_ms);

  // Adds a hop, which ends at `time_ms`.
  void Add(const Scores& scores, uint32_t time_ms);

  // Whether there is a near miss: one that no later hop can change, or at the end of the sound any.
  bool IsCertain(uint32_t time_ms) const { return has_best_ && time_ms - best_ms_ >= kApartMs; }
  bool has_best() const { return has_best_; }

  // Removes the near miss and returns it. Call it only if there is one.
  NearMiss Take(int label);

 private:
  bool has_best_ = false;
  bool is_new_ = false;  // the score was low since the last near miss or detection
  bool was_heard_ = false;
  uint8_t best_ = 0;
  uint8_t threshold_ = 0;  // when the score was best_
  uint32_t best_ms_ = 0;
  uint32_t heard_ms_ = 0;  // if was_heard_
};

// Applies the rule to all keywords of a pipeline.
class NearMisses {
 public:
  NearMisses() = default;

  // `first`, `second`: the second looks of the pipeline's bundles, or null. All must outlive it.
  NearMisses(const Pipeline* pipeline, const SecondLook* first, const SecondLook* second)
      : pipeline_(pipeline), looks_{first, second} {}

  // Call it after each hop that was processed without an error.
  void AfterHop();

  // Takes the next near miss that is certain. Returns whether there is one.
  bool Take(NearMiss* miss);

  // Takes the next near miss, at the end of the sound. Returns whether there is one.
  bool TakeLast(NearMiss* miss);

  // Call it after Pipeline::Reset.
  void Reset();

 private:
  // Adds the hop to the rules of a bundle (0 or 1); `first_label`: the number of its first label.
  void AddBundle(const PipelineConfig& config, int bundle, int first_label);
  bool TakeAny(bool is_end, NearMiss* miss);

  const Pipeline* pipeline_ = nullptr;
  const SecondLook* looks_[2] = {nullptr, nullptr};
  uint32_t looks_before_[2] = {0, 0};  // the number of looks after the previous hop
  NearMissRule rules_[2 * Recognizer::kMaxLabels];
};

}  // namespace kws

#endif  // KWS_PIPELINE_NEAR_MISSES_H_
