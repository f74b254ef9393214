// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_PIPELINE_MISMATCH_H_
#define KWS_PIPELINE_MISMATCH_H_

#include <cstdint>

namespace kws {

// Why a bundle's model and settings were refused. Serial lines have the number.
enum class Mismatch : uint8_t {
  kNone = 0,
  kLabelCount,
  kOutputOrder,
  kInferenceStride,
  kFrameStride,
  kFirstKeyword,
  kShortStride,
  kAverageWindow,
  kWindowFrames,
  kInput,
  kFrameMemory,
  kStreamingStride,
  kOutput,
  kScores,
  kListenMs,         // of two bundles
  kDifferentFrames,  // of two bundles
  kSecondLook
};

// One line: what does not match; what to do. Static storage; firmware that does not call it does
// not link the texts.
const char* MismatchMessage(Mismatch mismatch);

}  // namespace kws

#endif  // KWS_PIPELINE_MISMATCH_H_
