// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_PIPELINE_KEYWORD_CHECK_H_
#define KWS_PIPELINE_KEYWORD_CHECK_H_

#include <cstdint>

#include "kws/pipeline/feature_provider.h"
#include "kws/pipeline/recognizer.h"
#include "kws/status.h"

namespace kws {

class Detector;

// The detector's interface to a second look, so that firmware without one does not link it.
class KeywordCheck {
 public:
  // Allocates the tensors, checks model and settings, and restores the first model's tensors.
  // kBadArgument: they do not match. The detector calls it in its Start.
  virtual Status Start(Detector* detector, const FeatureProvider& features) = 0;

  // Recognizer::Process, with a look at what it would report.
  virtual Status Process(const int8_t* scores, int32_t time_ms, Recognizer::Result* result) = 0;

  // Call it after Recognizer::Reset.
  virtual void Reset() = 0;

  // Call it before the first model is reset and runs: a look may have used its arena.
  virtual Status Restore() = 0;

 protected:
  // Never deleted through this base: a virtual destructor would link `operator delete`.
  ~KeywordCheck() = default;
};

}  // namespace kws

#endif  // KWS_PIPELINE_KEYWORD_CHECK_H_
