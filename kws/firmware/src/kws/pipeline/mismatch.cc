// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/mismatch.h"

namespace kws {

const char* MismatchMessage(Mismatch mismatch) {
  switch (mismatch) {
    case Mismatch::kNone:
      return "model and settings match";
    case Mismatch::kLabelCount:
      return "the number of labels is out of range; convert the model again and rebuild";
    case Mismatch::kOutputOrder:
      return "output_order does not name each output once; convert the model again and rebuild";
    case Mismatch::kInferenceStride:
      return "inference_stride is less than 1; convert the model again and rebuild";
    case Mismatch::kFrameStride:
      return "the frames' stride is not 320 or 160 samples; convert the model again and rebuild";
    case Mismatch::kFirstKeyword:
      return "the first keyword is not label 0 or 2; convert the model again and rebuild";
    case Mismatch::kShortStride:
      return "inferences are less than a hop apart; convert the model again and rebuild";
    case Mismatch::kAverageWindow:
      return "average_window_ms is too long for this inference_stride and number of labels; "
             "convert the model again and rebuild";
    case Mismatch::kWindowFrames:
      return "the window is shorter than 25 frames or longer than 150; convert the model again and "
             "rebuild";
    case Mismatch::kInput:
      return "the model's input is neither a window of frames of 40 int8 values nor new frames of "
             "a window; convert the model again and rebuild";
    case Mismatch::kFrameMemory:
      return "there is memory for fewer frames than the model takes; convert the model again and "
             "rebuild";
    case Mismatch::kStreamingStride:
      return "inference_stride is not the number of frames that the model takes at a time; convert "
             "the model again and rebuild";
    case Mismatch::kOutput:
      return "the model's output is not one int8 score per label; convert the model again and "
             "rebuild";
    case Mismatch::kScores:
      return "the model's scores are not a softmax's (scale 1/256, zero point -128); convert the "
             "model again and rebuild";
    case Mismatch::kListenMs:
      return "listen_ms is less than 20; build it with --for 5s";
    case Mismatch::kDifferentFrames:
      return "the bundles have different frames; train both with the same stride and keep_noise";
    case Mismatch::kSecondLook:
      return "the second look's model or settings do not match the first model; make the bundle "
             "again and rebuild";
  }
  return "unknown";
}

}  // namespace kws
