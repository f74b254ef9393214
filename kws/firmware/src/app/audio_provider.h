// SPDX-License-Identifier: Apache-2.0
// The ring between the microphone's interrupt and the main loop.
#ifndef KWS_APP_AUDIO_PROVIDER_H_
#define KWS_APP_AUDIO_PROVIDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "frontend/frontend.h"
#if __has_include("ring.h")
#include "ring.h"  // generated: kRingHops
#else
namespace kws {
inline constexpr size_t kRingHops = 13;  // 260 ms
}  // namespace kws
#endif

namespace kws {

// Holds 16 kHz mono samples. One producer (the interrupt that the microphone's DMA raises) calls
// Push, one consumer (the main loop) calls the rest; neither ever waits for the other.
//
// When the consumer falls behind, the newest samples are dropped and counted: nothing is skipped
// without a word. Losses in a row, up to the next Push that fits whole, are one burst.
class AudioProvider {
 public:
  static constexpr size_t kHopSamples = Frontend::kStrideSamples;

  // Samples. The ring fills while an inference runs, so `kws build` chooses its hops by the model.
  static constexpr size_t kCapacity = kRingHops * kHopSamples;

  // Interrupt context. Keeps as many of `count` samples as fit, drops the rest.
  void Push(const int16_t* samples, size_t count);

  // Interrupt context. `count` samples never came; the next ones that fit end the burst.
  void Lose(uint32_t count);

  // Main loop. Fills `hop` (kHopSamples values) and returns true, or returns false while fewer
  // samples than that are waiting.
  bool PopHop(int16_t* hop);

  // Main loop. Samples lost in bursts that have ended since the last call; 0 if there were none.
  // So each burst is reported once, however many interrupts it lasted.
  uint32_t TakeLost();

  // Samples lost since the start, running bursts included. Wraps at 2^32.
  uint32_t overruns() const { return lost_.load(std::memory_order_relaxed); }

 private:
  // Samples written and read since the start; they wrap at 2^32, their difference is the fill.
  std::atomic<uint32_t> written_{0};
  std::atomic<uint32_t> read_{0};
  uint32_t write_at_ = 0;            // the producer's place in the ring
  uint32_t read_at_ = 0;             // the consumer's: the begin of a hop
  std::atomic<uint32_t> lost_{0};    // written by the producer
  std::atomic<uint32_t> closed_{0};  // lost_ when the last burst ended; written by the producer
  uint32_t reported_ = 0;            // the consumer's: closed_ at the last TakeLost
  int16_t ring_[kCapacity] = {};     // last, so that the others are near: shorter instructions

  static_assert(kRingHops >= 2, "one hop is filled while the other is read");
};

}  // namespace kws

#endif  // KWS_APP_AUDIO_PROVIDER_H_
