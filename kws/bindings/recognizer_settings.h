// SPDX-License-Identifier: Apache-2.0
// A recognizer's settings from Python values.
#ifndef KWS_BINDINGS_RECOGNIZER_SETTINGS_H_
#define KWS_BINDINGS_RECOGNIZER_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings.h"
#include "kws/pipeline/recognizer.h"
#include "kws/pipeline/second_look.h"

namespace kws::bindings {

inline uint8_t Threshold(int value) {
  if (value < 0 || value > 255) throw CoreError("a threshold has to be between 0 and 255");
  return static_cast<uint8_t>(value);
}

// One threshold per label, or none.
class Thresholds {
 public:
  Thresholds(const std::vector<int>& values, size_t labels) {
    if (!values.empty() && values.size() != labels) {
      throw CoreError("there are " + std::to_string(labels) + " labels, not " +
                      std::to_string(values.size()) + " thresholds");
    }
    for (const int value : values) bytes_.push_back(Threshold(value));
  }
  const uint8_t* data() const { return bytes_.empty() ? nullptr : bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
};

// `thresholds` must live until the recognizer is constructed.
inline kws::RecognizerSettings Settings(int average_window_ms, int detection_threshold,
                                        int suppression_ms, int minimum_count,
                                        const Thresholds& thresholds) {
  kws::RecognizerSettings settings;
  settings.thresholds = thresholds.data();
  settings.average_window_ms = average_window_ms;
  settings.detection_threshold = Threshold(detection_threshold);
  settings.suppression_ms = suppression_ms;
  settings.minimum_count = minimum_count;
  return settings;
}

}  // namespace kws::bindings

#endif  // KWS_BINDINGS_RECOGNIZER_SETTINGS_H_
