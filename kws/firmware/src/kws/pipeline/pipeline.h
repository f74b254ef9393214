// SPDX-License-Identifier: Apache-2.0
// All stages: hops of samples in, detections out. The device's main loop and the host's `kws run`
// use this class. The samples' constant offset is removed first.
#ifndef KWS_PIPELINE_PIPELINE_H_
#define KWS_PIPELINE_PIPELINE_H_

#include <cstddef>
#include <cstdint>

#include "kws/gate/gate.h"
#include "kws/pipeline/dc_offset.h"
#include "kws/pipeline/detector.h"
#include "kws/pipeline/feature_provider.h"
#include "kws/status.h"

namespace kws {

// A second bundle, which listens for commands after a wake word. The caller owns all pointers and
// references, which must outlive the pipeline.
struct Commands {
  PipelineConfig config;
  ModelRunner* runner;
  uint32_t listen_ms;  // for each command; at least Pipeline::kHopMs
  // Managed by the pipeline: thresholds of the first bundle's labels, then of this bundle's labels.
  uint8_t thresholds[2 * Recognizer::kMaxLabels];
};

// Time is counted in samples from Start or Reset. So the same samples produce the same detections
// on every target, whatever its speed. Sound before the first sample counts as silence.
//
// With a second bundle (`UseCommands`), one of the two is active at a time. A keyword of the first
// bundle activates the second; a keyword of the second, or its timeout, activates the first. The
// newly active bundle may use the same arena and restarts with cleared state: all frames so far
// count as silence, so that no word is detected by both. Only the frontend's noise estimate is
// kept.
class Pipeline {
 public:
  static constexpr uint32_t kHopMs = Detector::kHopMs;

  // Keeps a reference to the runner. `frames` must hold the frames of the model's input, or of the
  // larger input of two bundles.
  Pipeline(const PipelineConfig& config, ModelRunner* runner, FrameMemory frames);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Adds a second bundle. Call it at most once, before Start.
  void UseCommands(Commands* commands);

  // Skips inferences of the first bundle while the gate detects only background noise in the
  // model's window; a skipped result counts as silence. Streaming models are never skipped. Call it
  // before Start.
  void UseGate(Gate* gate);

  // Adds a second model to a bundle (0, or after UseCommands 1). Call it before Start.
  void UseSecondLook(int bundle, KeywordCheck* second) {
    (bundle == 0 ? config_ : commands_->config).second_look = second;
  }

  // Checks settings and models, and allocates the tensors. Call once, before the first hop. After
  // an error the pipeline cannot be used; mismatch() and the runner's error() have details.
  Status Start();

  // Takes the next Frontend::kStrideSamples samples; see Detector. The second bundle's last hop is
  // the first that ends `listen_ms` or more after the wake word's. No hop may be queued.
  Status ProcessHop(const int16_t* hop);

  // For a second look, during which the microphone goes on: a background task of its model (see
  // ModelRunner) takes hops from a ring of samples, and they are processed later. Only the features
  // are computed now, which need much less memory than the samples.
  //
  // Queues the next hop, if there is room: FrameMemory::queued frames, at most kMostQueued.
  // Detections are the same as without a queue.
  bool HasRoom() const;
  void Queue(const int16_t* hop);
  // Hops that wait for ProcessQueued; Reset drops them.
  int queued() const { return features_.queued() / StridesPerHop(); }
  // Processes the oldest one, like ProcessHop. At least one has to wait.
  Status ProcessQueued();

  static constexpr int kMostQueued = 64;

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

  // The bundle of a label: 0 or 1. The settings of bundle 0; of bundle 1, or null if there is none.
  int bundle_of(int index) const { return index < config_.label_count ? 0 : 1; }
  const PipelineConfig& config() const { return config_; }
  const Commands* commands() const { return commands_; }

  // The report of the last hop, at most one word: a keyword or, if its bundle wants it, unknown.
  // Labels are numbered as in `label`.
  const Detection& detection() const { return detection_; }

  // Whether the second bundle is active from the next hop on; whether the last hop changed that,
  // and when it last changed.
  bool listening() const { return listening_; }
  bool changed() const { return changed_; }
  uint32_t changed_ms() const { return changed_ms_; }

  // Why Start returned kBadArgument. The runner of the bundle that was started last.
  Mismatch mismatch() const { return mismatch_; }
  const ModelRunner& runner() const { return listening_ ? *commands_->runner : *runner_; }

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
  // The bytes that a bundle (0 or 1) uses of its arena, and the maximum of both.
  size_t arena_used_bytes(int bundle) const { return arena_used_[bundle]; }
  size_t arena_used_bytes() const { return arena_used_[arena_used_[1] > arena_used_[0] ? 1 : 0]; }

 private:
  // Replaces the detector.
  void MakeDetector(const PipelineConfig& config, ModelRunner* runner);
  Status StartDetector();
  Status BeginFirst();
  Status BeginSecond();
  static Status StartSecond(Pipeline& pipeline);
  static Status HandOver(Pipeline& pipeline);
  static void HearNoise(Pipeline& pipeline);
  static Status GatedStride(Pipeline& pipeline, bool has_frame);
  int StridesPerHop() const { return Frontend::kStrideSamples / config_.stride_samples; }
  void Centre(const int16_t* hop, int16_t* centred);
  void QueueRest();
  void QueueStride(const int16_t* samples);
  Status ProcessStride();
  // The active bundle's index of a label; negative: a label of the inactive bundle.
  int RunningIndex(int label) const;

  PipelineConfig config_;
  ModelRunner* runner_;
  Commands* commands_ = nullptr;
  // Set by `UseCommands`, so that firmware with one bundle does not link them.
  Status (*start_second_)(Pipeline& pipeline) = nullptr;
  Status (*hand_over_)(Pipeline& pipeline) = nullptr;
  // Set by `UseGate`, likewise.
  Gate* gate_ = nullptr;
  void (*hear_noise_)(Pipeline& pipeline) = nullptr;
  Status (*gated_stride_)(Pipeline& pipeline, bool has_frame) = nullptr;
  Detector* detector_ = nullptr;  // of the active bundle; in `place_`
  size_t arena_used_[2] = {0, 0};
  uint32_t time_ms_ = 0;     // wraps after 49.7 days
  uint32_t changed_ms_ = 0;  // when the active bundle last changed
  uint32_t inferences_ = 0;
  uint32_t skipped_ = 0;
  uint32_t inferred_ms_ = 0;
  bool inferred_ = false;
  bool listening_ = false;
  bool changed_ = false;
  // Whether the gate was quiet at the end of each frame, the last one that was queued in bit 0.
  uint64_t quiet_ = 0;
  // The rest of the hop in ProcessHop, which comes before any hop that is queued meanwhile.
  const int16_t* rest_ = nullptr;
  int rest_strides_ = 0;
  Detection detection_;
  Mismatch mismatch_ = Mismatch::kNone;
  // Large members come last, so that the offsets of the others fit short instructions.
  DcOffset dc_offset_;
  FeatureProvider features_;
  alignas(Detector) uint8_t place_[sizeof(Detector)];
};

}  // namespace kws

#endif  // KWS_PIPELINE_PIPELINE_H_
