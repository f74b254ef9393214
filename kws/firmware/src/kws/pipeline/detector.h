// SPDX-License-Identifier: Apache-2.0
// Runs one bundle: model and recognizer.
#ifndef KWS_PIPELINE_DETECTOR_H_
#define KWS_PIPELINE_DETECTOR_H_

#include <cstddef>
#include <cstdint>

#include "kws/detection.h"
#include "kws/pipeline/feature_provider.h"
#include "kws/pipeline/keyword_check.h"
#include "kws/pipeline/mismatch.h"
#include "kws/pipeline/recognizer.h"
#include "kws/runtime/model_runner.h"
#include "kws/status.h"

namespace kws {

// The caller owns all pointers, which must outlive the pipeline.
struct PipelineConfig {
  constexpr PipelineConfig(const char* name = nullptr, const char* sha8 = nullptr,
                           const char* const* names = nullptr, int count = 0, int stride = 0,
                           const RecognizerSettings& settings = RecognizerSettings(),
                           bool unknown = false, int frames = 49,
                           int samples = Frontend::kStrideSamples, int first = 2,
                           const uint8_t* order = nullptr, bool noise = false)
      : model_name(name),
        model_sha8(sha8),
        labels(names),
        label_count(count),
        inference_stride(stride),
        recognizer(settings),
        report_unknown(unknown),
        window_frames(frames),
        stride_samples(samples),
        first_keyword(first),
        output_order(order),
        keep_noise(noise),
        second_look(nullptr) {}

  const char* model_name;
  const char* model_sha8;     // the first 8 digits of the model's SHA-256
  const char* const* labels;  // label_count names: silence, unknown, then the keywords
  int label_count;
  int inference_stride;  // frames between inferences (> 0); for a streaming model, of its input
  RecognizerSettings recognizer;
  bool report_unknown;  // whether unknown is reported like a keyword
  // Frames that a score covers: the model's input; more for a streaming model.
  int window_frames;   // 49: 30 ms + 48 x 20 ms = 990 ms
  int stride_samples;  // between frames; or half of it
  // The first keyword's label. 0: the model has no classes for silence and unknown.
  int first_keyword;
  // The model's output index of each label. Null: the same order.
  const uint8_t* output_order;
  bool keep_noise;            // the features that the model was trained with: see Frontend
  KeywordCheck* second_look;  // see Pipeline::UseSecondLook; null: none
};

// A streaming model is one whose input has fewer frames than its window. It has state: it gets each
// frame once, and runs whenever its input is full. Any other model is stateless and gets a
// spectrogram of the whole window.
//
// Inference starts with the first frame, so that a word at the start is detected like any other.
// Frames before the start are -128 (no energy). One inference is at the frame that fills the first
// window.
class Detector {
 public:
  static constexpr int kShortestWindow = 25;  // frames
  static constexpr int kLongestWindow = 150;
  static constexpr uint32_t kHopMs = Frontend::kStrideSamples * 1000 / Frontend::kSampleRate;

  static constexpr uint32_t Milliseconds(int samples) {
    return static_cast<uint32_t>(samples) * 1000 / Frontend::kSampleRate;
  }

  static constexpr int kFirstKeyword = 2;  // after silence and unknown

  // Keeps references to both arguments. Uses the runner from Start on.
  Detector(const PipelineConfig& config, ModelRunner* runner);

  // Checks settings and models, and allocates the tensors. Call once, before the first hop.
  // `features`: keeps at least the frames of each model's input, and must outlive the detector.
  // kBadArgument: mismatch() says why.
  Status Start(const FeatureProvider& features);

  // Feeds a streaming model a window of silence, after Start or Reset; no effect on other models.
  // Without it, scores are ignored for the first window of frames. Takes as long as all inferences
  // of a window.
  Status HearSilence();

  // Call after each stride. `has_frame`: the stride completed a frame. `time_ms`: the stride's end.
  // Runs the model every `inference_stride` frames.
  Status ProcessStride(const FeatureProvider& features, bool has_frame, uint32_t time_ms);

  // The same without inference: the result counts as silence. Not for a streaming model, which
  // needs every frame.
  Status SkipStride(bool has_frame, uint32_t time_ms);
  bool CanSkip() const { return !IsStreaming(); }

  // The report of the last stride: a keyword or, if the bundle wants it, unknown.
  const Detection& detection() const { return detection_; }
  bool heard_keyword() const {
    return detection_.label != Detection::kNothing && detection_.label >= config_.first_keyword;
  }

  Mismatch mismatch() const { return mismatch_; }

  // Clears the state of model and recognizer; keeps the thresholds.
  Status Reset();

  // See Pipeline.
  void SetThreshold(int label, uint8_t threshold) { recognizer_.SetThreshold(label, threshold); }
  uint8_t threshold(int label) const { return recognizer_.threshold(label); }
  uint8_t MeanScore(int label) const { return recognizer_.MeanScore(label); }
  bool has_trusted_means() const { return recognizer_.IsTrusted(); }
  bool inferred() const { return inferred_; }
  const int8_t* scores() const { return scores_; }
  // Of the model; of the second one if that is more.
  size_t arena_used_bytes() const { return arena_used_; }

 private:
  friend class SecondLook;

  Mismatch FindMismatch(int kept_frames) const;
  bool IsStreaming() const { return input_frames_ < config_.window_frames; }
  bool IsDue(bool has_frame);
  Status Infer(const FeatureProvider& features, uint32_t time_ms);
  Status Recognize(uint32_t time_ms);

  const PipelineConfig& config_;
  ModelRunner* runner_;
  size_t arena_used_ = 0;
  Mismatch mismatch_ = Mismatch::kNone;
  int8_t* input_ = nullptr;              // the model's input, in the arena
  const uint8_t* raw_scores_ = nullptr;  // likewise its output
  uint8_t flip_ = 0;                     // XOR mask from the output's type to int8
  int input_frames_ = 0;
  int frames_to_inference_ = 0;
  int frames_to_trust_ = 0;  // frames until a streaming model's scores count
  Detection detection_;
  bool inferred_ = false;
  int8_t scores_[Recognizer::kMaxLabels] = {};  // of the last inference
  Recognizer recognizer_;
};

}  // namespace kws

#endif  // KWS_PIPELINE_DETECTOR_H_
