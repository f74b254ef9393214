// SPDX-License-Identifier: Apache-2.0
// From a stream of model scores to commands: TFLM's RecognizeCommands in whole numbers, with
// thresholds of their own for labels.
#ifndef KWS_PIPELINE_RECOGNIZER_H_
#define KWS_PIPELINE_RECOGNIZER_H_

#include <cstdint>

#include "status.h"

namespace kws {

struct RecognizerSettings {
  int32_t average_window_ms = 1000;     // results of the last so many ms are averaged (> 0)
  int32_t suppression_ms = 1500;        // the same label is not reported again for so long (>= 0)
  int32_t minimum_count = 3;            // fewer results in the window report nothing (> 0)
  uint8_t detection_threshold = 200;    // a mean score (0..255) has to exceed this
  const uint8_t* thresholds = nullptr;  // one a label in place of it, copied; null: all the same
  bool has_silence = true;              // label 0 is silence, after which nothing is suppressed
};

// Averages the scores of each label over the window. Of the labels whose mean exceeds their
// threshold it reports the one with the highest mean, unless the same label was reported less than
// `suppression_ms` ago. So a label with a low threshold is reported although the mean of another is
// higher, if that one stays below its own. With the same threshold for all, the highest mean alone
// decides, as in TFLM. A window with fewer than `minimum_count` results, or that spans less than a
// quarter of `average_window_ms`, is not trusted: the last reported label comes back with score 0.
//
// Label 0 is silence, unless the settings say otherwise. It is reported like any other; after
// silence nothing is suppressed.
class Recognizer {
 public:
  static constexpr int kMaxLabels = 64;
  static constexpr int kMaxResults = 128;
  static constexpr int kScoreBytes = 1920;  // 1 s of 37 labels each 20 ms, 2 s of 38 each 40 ms

  struct Result {
    // Index of the label with the highest mean above its threshold, or without one, with the
    // highest mean; of equals, the lowest.
    int label = 0;
    uint8_t score = 0;    // its mean, 0..255
    bool is_new = false;  // it is a command to act on now
  };

  // `label_count` is 1..kMaxLabels. Wrong arguments make every Process return kBadArgument.
  Recognizer(int label_count, const RecognizerSettings& settings);

  // How many results of this many labels can be in the window at once.
  static constexpr int Capacity(int label_count) {
    return kScoreBytes / label_count < kMaxResults ? kScoreBytes / label_count : kMaxResults;
  }

  // Adds one result: `scores` holds label_count int8 values as the model gives them (scale 1/256,
  // zero point -128), `time_ms` the time of its newest sample. Time may wrap at 2^32 but never runs
  // back: a step of less than 0 (or of 2^31 and more) returns kBadArgument and adds nothing. More
  // results in the window than Capacity() do the same.
  Status Process(const int8_t* scores, int32_t time_ms, Result* result);

  // The mean score of a label, 0..255, over the results of the last Process; 0 before the first.
  // `label` is 0..label_count - 1.
  uint8_t MeanScore(int label) const;

  // Whether the last Process had results enough to trust their means.
  bool IsTrusted() const;

  // The mean score (0..255) of `label` (0..label_count - 1) has to exceed this from now on.
  void SetThreshold(int label, uint8_t threshold) { thresholds_[label] = threshold; }
  uint8_t threshold(int label) const { return thresholds_[label]; }

  // Forgets all results and what was reported.
  void Reset();

 private:
  int Slot(int offset) const { return (first_ + offset) % capacity_; }  // offset 0 is the oldest

  RecognizerSettings settings_;
  int label_count_;
  int capacity_;  // 0: the arguments were wrong
  int first_ = 0;
  int count_ = 0;
  int previous_label_ = 0;
  uint32_t previous_time_ = 0;
  bool suppressing_ = false;  // previous_label_ was reported at most suppression_ms ago
  uint8_t thresholds_[kMaxLabels] = {};
  uint32_t times_[kMaxResults] = {};
  int8_t scores_[kScoreBytes] = {};
};

}  // namespace kws

#endif  // KWS_PIPELINE_RECOGNIZER_H_
