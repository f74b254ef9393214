// SPDX-License-Identifier: Apache-2.0
// Runs one bundle: model, recognizer and responder.
#ifndef KWS_PIPELINE_DETECTOR_H_
#define KWS_PIPELINE_DETECTOR_H_

#include <cstddef>
#include <cstdint>

#include "kws/output.h"
#include "kws/pipeline/feature_provider.h"
#include "kws/pipeline/recognizer.h"
#include "kws/pipeline/responder.h"
#include "kws/runtime/network.h"
#include "kws/status.h"

namespace kws {

// The caller owns all pointers, which must outlive the pipeline.
struct PipelineConfig {
  const char* version;
  const char* board;
  const char* model_name;
  const char* model_sha8;     // the first 8 digits of the model's SHA-256
  const char* const* labels;  // label_count names: silence, unknown, then the keywords
  int label_count;
  int inference_stride;  // frames between inferences (> 0); for a streaming model, of its input
  RecognizerSettings recognizer;
  bool report_unknown = false;  // see Responder
  // Frames that a score covers: the model's input; more for a streaming model.
  int window_frames = 49;                         // 30 ms + 48 x 20 ms = 990 ms
  int stride_samples = Frontend::kStrideSamples;  // between frames; or half of it
  // The first keyword's label. 0: the model has no classes for silence and unknown.
  int first_keyword = 2;
  // The model's output index of each label. Null: the same order.
  const uint8_t* output_order = nullptr;
};

// A streaming model is one whose input has fewer frames than its window. It has state: it gets each
// frame once, and runs whenever its input is full. Any other model is stateless and gets a
// spectrogram of the whole window.
//
// Inference starts with the first frame, so that a word at the start is detected like any other.
// Frames before the start are -128 (no energy). One inference is at the frame that fills the first
// window.
//
// Errors are returned, and also written as lines that start with `error: `.
class Detector {
 public:
  static constexpr int kShortestWindow = 25;  // frames
  static constexpr int kLongestWindow = 150;
  static constexpr uint32_t kHopMs = Frontend::kStrideSamples * 1000 / Frontend::kSampleRate;

  static constexpr uint32_t Milliseconds(int samples) {
    return static_cast<uint32_t>(samples) * 1000 / Frontend::kSampleRate;
  }

  // Keeps references to all arguments. See MicroInterpreter for the arena, which the detector uses
  // from Start on.
  Detector(const PipelineConfig& config, const Network& network, uint8_t* arena, size_t arena_size,
           Output* output);

  // Checks settings and model, and allocates the tensors. Call once, before the first hop.
  // `kept_frames`: frames of history; at least the frames of the model's input.
  Status Start(int kept_frames);

  // Feeds a streaming model a window of silence, after Start or Reset; no effect on other models.
  // Without it, scores are ignored for the first window of frames. Takes as long as all inferences
  // of a window.
  Status HearSilence();

  // Call after each stride. `has_frame`: the stride completed a frame. `time_ms`: the stride's end.
  // Runs the model every `inference_stride` frames and writes a line for each detection.
  Status ProcessStride(const FeatureProvider& features, bool has_frame, uint32_t time_ms);

  // The same without inference: the result counts as silence. Not for a streaming model, which
  // needs every frame.
  Status SkipStride(bool has_frame, uint32_t time_ms);
  bool CanSkip() const { return !IsStreaming(); }

  // The label that the last stride reported, or Responder::kNothing. `heard`: it is a keyword.
  int reported() const { return reported_; }
  bool heard() const {
    return reported_ != Responder::kNothing && reported_ >= config_.first_keyword;
  }

  // Clears the state of model and recognizer; keeps the thresholds.
  Status Reset();

  // See Pipeline.
  void SetThreshold(int label, uint8_t threshold) { recognizer_.SetThreshold(label, threshold); }
  uint8_t threshold(int label) const { return recognizer_.threshold(label); }
  uint8_t MeanScore(int label) const { return recognizer_.MeanScore(label); }
  bool has_trusted_means() const { return recognizer_.IsTrusted(); }
  bool inferred() const { return inferred_; }
  const int8_t* scores() const { return scores_; }
  size_t arena_used_bytes() const { return runner_.arena_used_bytes(); }

 private:
  // An error message if model and settings do not match, else null.
  const char* Mismatch(int kept_frames) const;
  // Whether `output_order` is a permutation.
  bool HasOrder() const;
  bool IsStreaming() const { return input_frames_ < config_.window_frames; }
  bool IsDue(bool has_frame);
  Status Infer(const FeatureProvider& features, uint32_t time_ms);
  Status Recognize(uint32_t time_ms);
  Status Fault(Status status);

  const PipelineConfig& config_;
  Output* output_;
  size_t arena_size_;
  NetworkRunner runner_;
  Responder responder_;
  int8_t* input_ = nullptr;              // the model's input, in the arena
  const uint8_t* raw_scores_ = nullptr;  // likewise its output
  uint8_t flip_ = 0;                     // XOR mask from the output's type to int8
  int input_frames_ = 0;
  int frames_to_inference_ = 0;
  int frames_to_trust_ = 0;  // frames until a streaming model's scores count
  int reported_ = Responder::kNothing;
  bool inferred_ = false;
  int8_t scores_[Recognizer::kMaxLabels] = {};  // of the last inference
  Recognizer recognizer_;
};

}  // namespace kws

#endif  // KWS_PIPELINE_DETECTOR_H_
