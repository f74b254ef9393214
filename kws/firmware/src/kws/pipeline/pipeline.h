// SPDX-License-Identifier: Apache-2.0
// All stages: hops of samples in, lines of text out. The device's main loop and the host's `kws
// run` use this class, so both write the same bytes. The samples' constant offset is removed first.
#ifndef KWS_PIPELINE_PIPELINE_H_
#define KWS_PIPELINE_PIPELINE_H_

#include <cstddef>
#include <cstdint>

#include "kws/gate/gate.h"
#include "kws/output.h"
#include "kws/pipeline/dc_offset.h"
#include "kws/pipeline/detector.h"
#include "kws/pipeline/feature_provider.h"
#include "kws/status.h"
#include "kws/status_led.h"

namespace kws {

// A second bundle, which listens for commands after a wake word. The caller owns all pointers and
// references, which must outlive the pipeline.
struct Commands {
  PipelineConfig config;  // version and board: the first bundle's
  Network network;
  uint32_t listen_ms;  // for each command (> 0)
  // Managed by the pipeline: thresholds of the first bundle's labels, then of this bundle's labels.
  uint8_t thresholds[2 * Recognizer::kMaxLabels];
};

// Time is counted in samples from Start or Reset; a line's time is the end of the hop that
// completed the detection. So the same samples produce the same lines on every target, whatever its
// speed. Sound before the first sample counts as silence. Errors are returned, and also written as
// lines that start with `error: `.
//
// With a second bundle (`UseCommands`), one of the two is active at a time. A keyword of the first
// bundle activates the second; a keyword of the second, or its timeout, activates the first. The
// newly active bundle uses the same arena and restarts with cleared state: all frames so far count
// as silence, so that no word is detected by both. Only the frontend's noise estimate is kept.
class Pipeline {
 public:
  static constexpr uint32_t kHopMs = Detector::kHopMs;

  // Keeps references to all arguments; see MicroInterpreter for the arena. `frames` must hold the
  // frames of the model's input, or of the larger input of two bundles.
  Pipeline(const PipelineConfig& config, const Network& network, uint8_t* arena, size_t arena_size,
           FrameMemory frames, Output* output);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Adds a second bundle, in the same arena. Call it at most once, before Start.
  void UseCommands(Commands* commands);

  // Skips inferences of the first bundle while the gate detects only background noise in the
  // model's window; a skipped result counts as silence. Streaming models are never skipped. Call it
  // before Start.
  void UseGate(Gate* gate);

  // Checks settings and models, allocates the tensors and writes the boot line
  // `kws 0.1.0 on qemu, model yes_no 1a2b3c4d, arena 5824 of 5824 bytes\n`. A second bundle adds
  // `then model ten_words 5e6f7a8b for 5000 ms, arena 5824 of 5824 bytes\n`.
  // Call once, before the first hop. After a fault the pipeline cannot be used.
  Status Start();

  // Writes the first bundle's boot line again.
  void WriteBoot();

  // Takes the next Frontend::kStrideSamples samples; see Detector. Writes a line at each change of
  // the active bundle: `Listening for commands @4056ms\n` and `Waiting for the wake word
  // @9056ms\n`. The second bundle's last hop is the first that ends `listen_ms` or more after the
  // wake word's line.
  Status ProcessHop(const int16_t* hop);

  // Writes an error line: `samples` (> 0) samples were lost because the target did not keep up.
  void ReportLost(uint32_t samples);

  // Restores the state after Start, except the thresholds: time 0, cleared frontend, model and
  // recognizer, the first bundle active.
  Status Reset();

  // The mean score (0..255) of `label` (0..label_count() - 1) must exceed it. Initially the
  // bundle's setting.
  void SetThreshold(int label, uint8_t threshold);
  uint8_t threshold(int label) const;

  // Labels of the first bundle, then of the second.
  int label_count() const {
    return config_.label_count + (commands_ != nullptr ? commands_->config.label_count : 0);
  }
  const char* label(int index) const {
    const int of_second = index - config_.label_count;
    return of_second < 0 ? config_.labels[index] : commands_->config.labels[of_second];
  }

  // The first 8 digits of the SHA-256 of the model of bundle 0 or 1; null if there is no such
  // bundle.
  const char* model_sha8(int bundle) const {
    if (bundle == 0) return config_.model_sha8;
    return bundle == 1 && commands_ != nullptr ? commands_->config.model_sha8 : nullptr;
  }

  // The label (as in `label`) that the last hop reported, or Responder::kNothing.
  int heard() const { return heard_; }

  // Whether the second bundle is active from the next hop on.
  bool listening() const { return listening_; }

  // Whether the last hop ran the model; its scores, one per label of the active bundle, valid until
  // the next hop. For the host.
  bool inferred() const { return inferred_; }
  const int8_t* scores() const { return detector_->scores(); }
  // The end of that inference's window.
  uint32_t inferred_ms() const { return inferred_ms_; }

  // The newest frame: kChannels features, valid until the next hop; null before the first.
  const int8_t* newest_frame() const {
    return features_.frames() > 0 ? features_.newest() : nullptr;
  }
  // The mean score (0..255) of a label in the last window; 0 for labels of the inactive bundle.
  uint8_t MeanScore(int label) const;
  // Whether the window has enough results for the means to be compared with the thresholds.
  bool has_trusted_means() const { return detector_->has_trusted_means(); }

  // Milliseconds and hops since Start or Reset; they wrap together.
  uint32_t time_ms() const { return time_ms_; }
  uint32_t hops() const { return time_ms_ / kHopMs; }
  // Inferences since Start or Reset, and how many of them the gate skipped.
  uint32_t inferences() const { return inferences_; }
  uint32_t skipped() const { return skipped_; }
  // The maximum of both bundles.
  size_t arena_used_bytes() const { return arena_used_; }

 private:
  // Replaces the detector.
  void MakeDetector(const PipelineConfig& config, const Network& network);
  Status StartDetector();
  Status BeginFirst();
  Status BeginSecond();
  static Status StartSecond(Pipeline& pipeline);
  static Status HandOver(Pipeline& pipeline);
  static Status GatedStride(Pipeline& pipeline, bool has_frame);
  // The LED's label for a label of the active bundle: the first keyword is
  // Responder::kFirstKeyword.
  int LedLabel(int label) const {
    const PipelineConfig& config = listening_ ? commands_->config : config_;
    return label + Responder::kFirstKeyword - config.first_keyword;
  }
  // The active bundle's index of a label; negative: a label of the inactive bundle.
  int RunningIndex(int label) const;

  PipelineConfig config_;
  Network network_;
  uint8_t* arena_;
  size_t arena_size_;
  Output* output_;
  Commands* commands_ = nullptr;
  // Set by `UseCommands`, so that firmware with one bundle does not link them.
  Status (*start_second_)(Pipeline& pipeline) = nullptr;
  Status (*hand_over_)(Pipeline& pipeline) = nullptr;
  // Set by `UseGate`, likewise.
  Gate* gate_ = nullptr;
  Status (*gated_stride_)(Pipeline& pipeline, bool has_frame) = nullptr;
  Detector* detector_ = nullptr;  // of the active bundle; in `place_`
  size_t arena_used_ = 0;
  uint32_t time_ms_ = 0;          // wraps after 49.7 days
  uint32_t listening_since_ = 0;  // ms
  uint32_t inferences_ = 0;
  uint32_t skipped_ = 0;
  uint32_t inferred_ms_ = 0;
  bool inferred_ = false;
  bool listening_ = false;
  int heard_ = Responder::kNothing;
  // Large members come last, so that the offsets of the others fit short instructions.
  StatusLed led_;
  DcOffset dc_offset_;
  FeatureProvider features_;
  alignas(Detector) uint8_t place_[sizeof(Detector)];
};

}  // namespace kws

#endif  // KWS_PIPELINE_PIPELINE_H_
