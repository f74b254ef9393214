// SPDX-License-Identifier: Apache-2.0
// What can be watched while the pipeline runs: the samples that go in (`pcm`), the mean scores that
// come out (`scores`), and the cycles that it takes (`health`).
#ifndef KWS_APP_DIAGNOSTICS_H_
#define KWS_APP_DIAGNOSTICS_H_

#include <cstddef>
#include <cstdint>

#include "boards/audio_provider.h"
#include "output.h"
#include "pipeline/pipeline.h"
#include "status.h"

namespace kws {

// Main loop only. All pointers stay the caller's and must outlive this object.
class Diagnostics {
 public:
  static constexpr size_t kLineSamples = 64;  // a line stays shorter than any port's queue
  static constexpr int kMaxSeconds = 600;
  static constexpr uint32_t kPauseHops = 10;  // 0.2 s, in which the computer changes its rate

  Diagnostics(Pipeline* pipeline, const AudioProvider* audio, Output* output)
      : pipeline_(pipeline), audio_(audio), output_(output) {}

  // Gives the hop to the pipeline, and writes what was asked for: lines::kPcm before the pipeline's
  // own lines, lines::kScores after them.
  Status ProcessHop(const int16_t* hop);

  // Sends what the microphone hears for `seconds` (0..kMaxSeconds) from now on; 0 ends it. If it is
  // not sent already, port and pipeline are prepared: a line that names the port's new rate, a
  // pause, and a pipeline that starts anew with the first sample that is sent. So these samples
  // give the same lines on a host. A last line says how many samples were sent and lost.
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
  void Send(const int16_t* hop);
  void EndSending();
  void WriteScores();

  Pipeline* pipeline_;
  const AudioProvider* audio_;
  Output* output_;
  uint32_t hops_to_send_ = 0;  // 0: nobody asks for samples
  uint32_t pause_hops_ = 0;    // until they are sent
  uint32_t rate_ = 0;          // of the port, in bit/s; 0: it needs none
  uint32_t sent_ = 0;          // samples
  uint32_t lost_before_ = 0;   // samples
  Longest longest_ = {0, 0};
  bool shows_scores_ = false;
};

}  // namespace kws

#endif  // KWS_APP_DIAGNOSTICS_H_
