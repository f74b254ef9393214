// SPDX-License-Identifier: Apache-2.0
// Joins the stages: hops of samples in, lines on the serial port out. The device's main loop and
// the host's `kws run` drive this same class, so both write the same bytes. A constant offset of
// the samples is removed first.
#ifndef KWS_PIPELINE_PIPELINE_H_
#define KWS_PIPELINE_PIPELINE_H_

#include <cstddef>
#include <cstdint>

#include "gate/gate.h"
#include "output.h"
#include "pipeline/dc_offset.h"
#include "pipeline/detector.h"
#include "pipeline/feature_provider.h"
#include "status.h"
#include "status_led.h"

namespace kws {

// A second bundle, which hears commands after a wake word. All pointers and references stay the
// caller's and must outlive the pipeline.
struct Commands {
  PipelineConfig config;  // version and board are those of the first bundle
  Network network;
  uint32_t listen_ms;  // how long it listens for a command (> 0)
  // The pipeline's own: thresholds of the first bundle's labels, then of this one's.
  uint8_t thresholds[2 * Recognizer::kMaxLabels];
};

// Time is counted in samples: a line's time is the end of the hop that completed the detection,
// counted from the first sample after Start or Reset. So the same samples give the same lines on
// every target, whatever its speed. Before the first sample there was silence: a word that begins
// with it is heard. Every fault is written as one line that starts with `error: `,
// and returned.
//
// With a second bundle (`UseCommands`), one of the two runs at a time. Any keyword of the first
// hands over to the second. A keyword of the second, or the end of its time, hands back. Whoever
// takes over starts anew in the same arena: no history in model and recognizer, and all frames so
// far count as silence, so that no word is heard by both. Only the frontend's noise estimate runs
// on.
class Pipeline {
 public:
  static constexpr uint32_t kHopMs = Detector::kHopMs;

  // Keeps references to all of them; see MicroInterpreter for the arena. `frames` has to hold as
  // many frames as the model's input has; with a second bundle, as many as the larger input of
  // both.
  Pipeline(const PipelineConfig& config, const Network& network, uint8_t* arena, size_t arena_size,
           FrameMemory frames, Output* output);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Adds a second bundle, in the same arena. Call it before Start, once at most.
  void UseCommands(Commands* commands);

  // Lets the first bundle's model rest while the gate tells that nothing but the room's own noise
  // was in the frames that the model would see. Its answer counts as silence then, so that the
  // recognizer goes on as if it had run. A streaming model never rests. Call it before Start.
  void UseGate(Gate* gate);

  // Checks settings and models, allocates the tensors and writes the boot line
  // `kws 0.1.0 on qemu, model yes_no 1a2b3c4d, arena 5824 of 5824 bytes\n`. A second bundle adds
  // `then model ten_words 5e6f7a8b for 5000 ms, arena 5824 of 5824 bytes\n`.
  // Call once, before the first hop. After a fault the pipeline cannot be used.
  Status Start();

  // Writes the first bundle's boot line again.
  void WriteBoot();

  // Takes the next Frontend::kStrideSamples samples; see Detector. Writes a line at each hand-over:
  // `Listening for commands @4056ms\n` and `Waiting for the wake word @9056ms\n`. The hop that ends
  // `listen_ms` after the wake word's line, or the first one after that, is the last that the
  // second bundle hears.
  Status ProcessHop(const int16_t* hop);

  // Writes that `samples` (> 0) samples never came, because the target did not keep up.
  void ReportLost(uint32_t samples);

  // Everything as after Start, but for the thresholds: time 0, no history in frontend, model and
  // recognizer, and the first bundle listens.
  Status Reset();

  // What the mean score (0..255) of `label` (0..label_count() - 1) has to exceed, from now on. The
  // bundle's setting at the start.
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

  // The first 8 digits of the SHA-256 of the first bundle's model, then of the second's; null:
  // there is none.
  const char* model_sha8(int bundle) const {
    if (bundle == 0) return config_.model_sha8;
    return bundle == 1 && commands_ != nullptr ? commands_->config.model_sha8 : nullptr;
  }

  // The label (as in `label`) whose line the last hop wrote; Responder::kNothing: none.
  int heard() const { return heard_; }

  // Whether the second bundle listens, from the next hop on.
  bool listening() const { return listening_; }

  // Whether the last hop ran the model, and what it gave: a value for each label of the bundle that
  // runs, valid until the next hop. The host looks at them; the device has no use for them.
  bool inferred() const { return inferred_; }
  const int8_t* scores() const { return detector_->scores(); }
  // The time of that inference: the end of the newest sound that it saw.
  uint32_t inferred_ms() const { return inferred_ms_; }

  // For those who watch: the newest frame (kChannels features, valid until the next hop; null
  // before the first), and a label's mean score (0..255) of the last inference's window. A label of
  // the bundle that does not run has 0.
  const int8_t* newest_frame() const {
    return features_.frames() > 0 ? features_.newest() : nullptr;
  }
  uint8_t MeanScore(int label) const;
  // Whether these means are compared with the thresholds: the window has results enough.
  bool has_trusted_means() const { return detector_->has_trusted_means(); }

  // Milliseconds and hops since Start or Reset; they wrap together.
  uint32_t time_ms() const { return time_ms_; }
  uint32_t hops() const { return time_ms_ / kHopMs; }
  // Answers of models since Start or Reset, and how many of them the gate gave in their place.
  uint32_t inferences() const { return inferences_; }
  uint32_t skipped() const { return skipped_; }
  // Of the arena, by the bundle that needs more.
  size_t arena_used_bytes() const { return arena_used_; }

 private:
  // Makes the detector of a bundle anew.
  void MakeDetector(const PipelineConfig& config, const Network& network);
  Status StartDetector();
  Status BeginFirst();
  Status BeginSecond();
  static Status StartSecond(Pipeline& pipeline);
  static Status HandOver(Pipeline& pipeline);
  static Status GatedStride(Pipeline& pipeline, bool has_frame);
  // What the LED shows for a label of the running bundle: the first keyword is Responder's
  // kFirstKeyword for every model.
  int LedLabel(int label) const {
    const PipelineConfig& config = listening_ ? commands_->config : config_;
    return label + Responder::kFirstKeyword - config.first_keyword;
  }
  // The running bundle's own index of a label; negative: the label is the other bundle's.
  int RunningIndex(int label) const;

  PipelineConfig config_;
  Network network_;
  uint8_t* arena_;
  size_t arena_size_;
  Output* output_;
  Commands* commands_ = nullptr;
  // `UseCommands` sets them: a firmware with one bundle is linked without what they call.
  Status (*start_second_)(Pipeline& pipeline) = nullptr;
  Status (*hand_over_)(Pipeline& pipeline) = nullptr;
  // Likewise `UseGate`.
  Gate* gate_ = nullptr;
  Status (*gated_stride_)(Pipeline& pipeline, bool has_frame) = nullptr;
  Detector* detector_ = nullptr;  // of the bundle that runs; in `place_`
  size_t arena_used_ = 0;
  uint32_t time_ms_ = 0;          // wraps after 49.7 days
  uint32_t listening_since_ = 0;  // time_ms_ then
  uint32_t inferences_ = 0;
  uint32_t skipped_ = 0;
  uint32_t inferred_ms_ = 0;
  bool inferred_ = false;
  bool listening_ = false;
  int heard_ = Responder::kNothing;
  // What is large comes last: offsets of what precedes it fit short instructions.
  StatusLed led_;
  DcOffset dc_offset_;
  FeatureProvider features_;
  alignas(Detector) uint8_t place_[sizeof(Detector)];
};

}  // namespace kws

#endif  // KWS_PIPELINE_PIPELINE_H_
