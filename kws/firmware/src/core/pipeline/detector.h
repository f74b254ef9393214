// SPDX-License-Identifier: Apache-2.0
// One bundle at work: its model scores what is heard, its recognizer finds the commands, its
// responder tells them.
#ifndef KWS_PIPELINE_DETECTOR_H_
#define KWS_PIPELINE_DETECTOR_H_

#include <cstddef>
#include <cstdint>

#include "output.h"
#include "pipeline/feature_provider.h"
#include "pipeline/recognizer.h"
#include "pipeline/responder.h"
#include "runtime/network.h"
#include "status.h"

namespace kws {

// All pointers stay the caller's and must outlive the pipeline.
struct PipelineConfig {
  const char* version;
  const char* board;
  const char* model_name;
  const char* model_sha8;     // first 8 hexadecimal digits of the model's SHA-256
  const char* const* labels;  // label_count names: silence, unknown, then the keywords
  int label_count;
  int inference_stride;  // frames from one inference to the next (> 0); a streaming model's input
  RecognizerSettings recognizer;
  bool report_unknown = false;  // see Responder
  // Frames that the scores are about: those of the model's input, more for a streaming model.
  int window_frames = 49;                         // 30 ms + 48 x 20 ms = 990 ms
  int stride_samples = Frontend::kStrideSamples;  // from frame to frame, or half of that
  // The first label that is a keyword. 0: the model has no classes for silence and unknown.
  int first_keyword = 2;
  // Which of the model's outputs is the score of each label. Null: they have the same order.
  const uint8_t* output_order = nullptr;
};

// A model whose input has fewer frames than its window is a streaming one: it remembers what it
// heard. It gets each frame once, and runs whenever as many as its input has are new. Any other
// model gets a spectrogram each time, and remembers nothing of the one before.
//
// Either runs from the first frame on, so that a word at the very start is heard as it is later:
// frames before the start are -128 (no energy). One inference falls on the frame that fills the
// first window.
//
// Every fault is written as one line that starts with `error: `, and returned.
class Detector {
 public:
  static constexpr int kShortestWindow = 25;  // frames
  static constexpr int kLongestWindow = 150;
  static constexpr uint32_t kHopMs = Frontend::kStrideSamples * 1000 / Frontend::kSampleRate;

  // Milliseconds of so many samples.
  static constexpr uint32_t Milliseconds(int samples) {
    return static_cast<uint32_t>(samples) * 1000 / Frontend::kSampleRate;
  }

  // Keeps references to all of them; see MicroInterpreter for the arena. The arena is the
  // detector's from Start on.
  Detector(const PipelineConfig& config, const Network& network, uint8_t* arena, size_t arena_size,
           Output* output);

  // Checks settings and model, and allocates the tensors. Call once, before the first hop.
  // `kept_frames`: how many frames there is memory for; as many as the model's input has, at least.
  Status Start(int kept_frames);

  // Lets a streaming model hear a window of silence after Start or Reset; no other model needs
  // that. Without it, its scores count once it was given a window of frames. It takes as long as
  // the calls for a window.
  Status HearSilence();

  // Call after each stride, with the features of all so far. `has_frame`: the stride completed a
  // frame. `time_ms` is its end. Every `inference_stride` frames runs the model and, where a
  // keyword was heard, writes its line.
  Status ProcessStride(const FeatureProvider& features, bool has_frame, uint32_t time_ms);

  // The same without running the model: where it would have run, its answer counts as silence. Not
  // for a streaming model, which has to be given every frame.
  Status SkipStride(bool has_frame, uint32_t time_ms);
  bool CanSkip() const { return !IsStreaming(); }

  // The label that the last stride reported; Responder::kNothing: none. `heard`: whether it is a
  // keyword.
  int reported() const { return reported_; }
  bool heard() const {
    return reported_ != Responder::kNothing && reported_ >= config_.first_keyword;
  }

  // As after Start, but for the thresholds: no history in model and recognizer.
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
  // How model and settings do not fit; null: they do.
  const char* Mismatch(int kept_frames) const;
  // Whether `output_order` names each output once.
  bool HasOrder() const;
  bool IsStreaming() const { return input_frames_ < config_.window_frames; }
  // Whether the model's turn has come.
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
  uint8_t flip_ = 0;                     // what makes int8 of it
  int input_frames_ = 0;
  int frames_to_inference_ = 0;
  int frames_to_trust_ = 0;  // that a streaming model has to be given until its scores count
  int reported_ = Responder::kNothing;
  bool inferred_ = false;
  int8_t scores_[Recognizer::kMaxLabels] = {};  // of the last inference
  Recognizer recognizer_;
};

}  // namespace kws

#endif  // KWS_PIPELINE_DETECTOR_H_
