// SPDX-License-Identifier: Apache-2.0
// Detections from a stream of scores: TFLM's RecognizeCommands in integers, with a threshold per
// label.
#ifndef KWS_PIPELINE_RECOGNIZER_H_
#define KWS_PIPELINE_RECOGNIZER_H_

#include <cstdint>

#include "kws/status.h"

namespace kws {

struct RecognizerSettings {
  constexpr RecognizerSettings(int32_t average_window = 1000, int32_t suppression = 1500,
                               int32_t count = 3, uint8_t threshold = 200,
                               const uint8_t* each = nullptr)
      : average_window_ms(average_window),
        suppression_ms(suppression),
        minimum_count(count),
        detection_threshold(threshold),
        thresholds(each) {}

  int32_t average_window_ms;    // averaging window (> 0)
  int32_t suppression_ms;       // until the same label is reported again (>= 0)
  int32_t minimum_count;        // results in the window needed for a report (> 0)
  uint8_t detection_threshold;  // the mean score (0..255) must exceed it
  const uint8_t* thresholds;    // one per label instead, copied; null: all the same
};

// Averages the scores of each label over the window. Of the labels whose mean exceeds their
// threshold, reports the one with the highest mean, unless the same label was reported less than
// `suppression_ms` ago. With one threshold for all labels this is TFLM's rule. A window with fewer
// than `minimum_count` results, or shorter than a quarter of `average_window_ms`, is not trusted:
// the result is the last reported label with score 0.
//
// Label 0 may be silence. It is reported like any other label and ends suppression.
class Recognizer {
 public:
  static constexpr int kMaxLabels = 64;
  static constexpr int kMaxResults = 128;
  static constexpr int kScoreBytes = 1920;  // 1 s of 37 labels every 20 ms, 2 s of 38 every 40 ms

  struct Result {
    // The label with the highest mean among those above their threshold; if there is none, among
    // all. On a tie, the lowest index.
    int label = 0;
    uint8_t score = 0;    // its mean, 0..255
    bool is_new = false;  // a new detection
  };

  // `label_count`: 1..kMaxLabels. `has_silence`: label 0 is silence. After wrong arguments Process
  // returns kBadArgument.
  Recognizer(int label_count, const RecognizerSettings& settings, bool has_silence = true);

  // Maximum number of results in a window.
  static constexpr int Capacity(int label_count) {
    return kScoreBytes / label_count < kMaxResults ? kScoreBytes / label_count : kMaxResults;
  }

  // Adds a result: `scores` holds label_count model outputs (scale 1/256, zero point -128),
  // `time_ms` is the time of its newest sample, modulo 2^32. kBadArgument, with nothing added, if
  // time runs backwards (a step below 0 or of 2^31 and more) or the window holds more than
  // Capacity() results.
  Status Process(const int8_t* scores, int32_t time_ms, Result* result, bool accept = true);

  // For detections that can be refused (see Proposals), Process with `accept` false does not count
  // them as reported; Accept does, after it. MayReport: the mean of a label exceeds `least`, the
  // label is not suppressed, and a score can exceed its threshold.
  void Accept(int label);
  bool MayReport(int label, uint8_t least) const;

  // The mean score (0..255) of `label` (0..label_count - 1) in the window of the last Process; 0
  // before the first.
  uint8_t MeanScore(int label) const;

  // Whether the window of the last Process is trusted.
  bool IsTrusted() const;

  // `label`: 0..label_count - 1.
  void SetThreshold(int label, uint8_t threshold) { thresholds_[label] = threshold; }
  uint8_t threshold(int label) const { return thresholds_[label]; }

  // Clears all results and the last report.
  void Reset();

 private:
  bool IsSuppressed(int label) const { return suppressing_ && label == previous_label_; }
  int Slot(int offset) const { return (first_ + offset) % capacity_; }  // offset 0 is the oldest

  RecognizerSettings settings_;
  int label_count_;
  bool has_silence_;
  int capacity_;  // 0: wrong arguments
  int first_ = 0;
  int count_ = 0;
  int previous_label_ = 0;
  uint32_t previous_time_ = 0;
  bool suppressing_ = false;  // for suppression_ms after a report of previous_label_
  uint8_t thresholds_[kMaxLabels] = {};
  uint32_t times_[kMaxResults];
  int8_t scores_[kScoreBytes];
};

}  // namespace kws

#endif  // KWS_PIPELINE_RECOGNIZER_H_
