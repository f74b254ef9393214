// SPDX-License-Identifier: Apache-2.0
// Joins the stages: hops of samples in, lines on the serial port out. The device's main loop and
// the host's `kws run` drive this same class, so both write the same bytes. A constant offset of
// the samples is removed first.
#ifndef KWS_PIPELINE_PIPELINE_H_
#define KWS_PIPELINE_PIPELINE_H_

#include <cstddef>
#include <cstdint>

#include "output.h"
#include "pipeline/dc_offset.h"
#include "pipeline/feature_provider.h"
#include "pipeline/recognizer.h"
#include "pipeline/responder.h"
#include "runtime/micro_interpreter.h"
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
  int inference_stride;  // hops from one inference to the next (> 0); a streaming model's frames
  RecognizerSettings recognizer;
  bool report_unknown = false;  // see Responder
};

// Time is counted in samples: a line's time is the end of the hop that completed the detection,
// counted from the first sample after Start or Reset. So the same samples give the same lines on
// every target, whatever its speed. Every fault is written as one line that starts with `error: `,
// and returned.
//
// A model whose input has fewer frames than a spectrogram is a streaming one: it remembers what it
// heard. It gets each frame once, and runs whenever as many as its input has are new: such that one
// of its calls ends with the 49th frame. Frames that its first call lacks are -128 (no energy).
class Pipeline {
 public:
  static constexpr uint32_t kHopMs = Frontend::kStrideSamples * 1000 / Frontend::kSampleRate;

  // Keeps references to all of them; see MicroInterpreter for model, resolver and arena.
  Pipeline(const PipelineConfig& config, const Model& model, const OpResolver& resolver,
           uint8_t* arena, size_t arena_size, Output* output);

  // Checks settings and model, allocates the tensors and writes the boot line
  // `kws 0.1.0 on qemu, model yes_no 1a2b3c4d, arena 5824 of 5824 bytes\n`.
  // Call once, before the first hop. After a fault the pipeline cannot be used.
  Status Start();

  // Takes the next Frontend::kStrideSamples samples. From the 49th frame on, every
  // `inference_stride` hops runs the model and, where a keyword was heard, writes its line. A
  // streaming model runs from its first frames on, but what it says counts from the 49th.
  Status ProcessHop(const int16_t* hop);

  // Writes that `samples` (> 0) samples never came, because the target did not keep up.
  void ReportLost(uint32_t samples);

  // Everything as after Start: time 0, no history in frontend, model and recognizer.
  Status Reset();

  // What the mean score (0..255) of `label` (0..label_count() - 1) has to exceed, from now on. The
  // bundle's setting at the start.
  void SetThreshold(int label, uint8_t threshold) { recognizer_.SetThreshold(label, threshold); }
  uint8_t threshold(int label) const { return recognizer_.threshold(label); }

  int label_count() const { return config_.label_count; }
  const char* label(int index) const { return config_.labels[index]; }

  // Whether the last hop ran the model, and what it gave: label_count() values, valid until the
  // next hop. The host looks at them; the device has no use for them.
  bool inferred() const {
    return features_.ready() && hops_to_inference_ == config_.inference_stride;
  }
  const int8_t* scores() const { return scores_; }

  // For those who watch: the newest frame (kChannels features, valid until the next hop; null
  // before the first), and a label's mean score (0..255) of the last inference's window.
  const int8_t* newest_frame() const {
    return features_.frames() > 0 ? features_.newest() : nullptr;
  }
  uint8_t MeanScore(int label) const { return recognizer_.MeanScore(label); }

  // Hops since Start or Reset; wraps with the time.
  uint32_t hops() const { return time_ms_ / kHopMs; }
  size_t arena_used_bytes() const { return interpreter_.arena_used_bytes(); }

 private:
  const char* Mismatch() const;  // how model and settings do not fit; null: they do
  bool IsStreaming() const { return input_frames_ < FeatureProvider::kFrames; }
  Status Infer();
  Status Fault(Status status);

  PipelineConfig config_;
  Output* output_;
  size_t arena_size_;
  MicroInterpreter interpreter_;
  DcOffset dc_offset_;
  FeatureProvider features_;
  Recognizer recognizer_;
  Responder responder_;
  int8_t* input_ = nullptr;  // the model's input and output, in the arena
  const int8_t* scores_ = nullptr;
  uint32_t time_ms_ = 0;  // wraps after 49.7 days
  int input_frames_ = 0;
  int hops_to_inference_ = 0;
};

}  // namespace kws

#endif  // KWS_PIPELINE_PIPELINE_H_
