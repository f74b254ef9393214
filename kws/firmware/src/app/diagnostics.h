// SPDX-License-Identifier: Apache-2.0
// Observes the pipeline: input samples (`pcm`), mean scores (`scores`) and cycles (`health`).
#ifndef KWS_APP_DIAGNOSTICS_H_
#define KWS_APP_DIAGNOSTICS_H_

#include <cstddef>
#include <cstdint>

#include "boards/audio_provider.h"
#include "kws/pipeline/pipeline.h"
#include "kws/status.h"
#include "serial/responder.h"
#include "serial/text.h"

namespace kws {

// Main loop only. The caller owns all pointers, which must outlive this object.
class Diagnostics {
 public:
  static constexpr size_t kLineSamples = 64;  // a line is shorter than any port's queue
  static constexpr int kMaxSeconds = 600;
  static constexpr uint32_t kPauseHops = 10;  // 0.2 s, while the computer changes its rate

  Diagnostics(Pipeline* pipeline, const Responder* responder, const AudioProvider* audio,
              Output* output)
      : pipeline_(pipeline), responder_(responder), audio_(audio), output_(output) {}

  // Passes the hop to the pipeline. Writes lines::kPcm before the responder's lines and
  // lines::kScores after them, if enabled.
  Status ProcessHop(const int16_t* hop);

  // The same in two steps, see Pipeline::Queue, which writes lines::kPcm.
  bool HasRoom() const;
  void Queue(const int16_t* hop);
  Status ProcessQueued() { return Process(nullptr); }

  // Sends the microphone's samples for `seconds` (0..kMaxSeconds) from now on; 0 ends it. At the
  // start: a line with the port's new rate, a pause, and a reset of the pipeline at the first
  // sample, so that the samples produce the same lines on a host. At the end: a line with the
  // number of samples sent and lost.
  void SendSamples(uint32_t seconds);

  void ShowScores(bool show) { shows_scores_ = show; }
  bool shows_scores() const { return shows_scores_; }

  // Cycles of the longest hop without and with an inference since the last call.
  struct Longest {
    uint32_t hop;
    uint32_t inference;
  };
  Longest TakeLongest();

 private:
  Status Process(const int16_t* hop);  // null: the oldest in the pipeline's queue
  bool Sends() const { return hops_to_send_ > 0 && pause_hops_ == 0; }
  void Send(const int16_t* hop);
  void EndSending();
  void WriteScores();

  Pipeline* pipeline_;
  const Responder* responder_;
  const AudioProvider* audio_;
  Output* output_;
  uint32_t hops_to_send_ = 0;  // 0: not sending
  uint32_t pause_hops_ = 0;    // until the first sample
  bool is_last_sent_ = false;  // but perhaps not processed
  uint32_t rate_ = 0;          // of the port, in bit/s; 0: any rate
  uint32_t sent_ = 0;          // samples
  uint32_t lost_before_ = 0;   // samples
  Longest longest_ = {0, 0};
  bool shows_scores_ = false;
};

}  // namespace kws

#endif  // KWS_APP_DIAGNOSTICS_H_
