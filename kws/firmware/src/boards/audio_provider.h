// SPDX-License-Identifier: Apache-2.0
// The ring between the microphone's interrupt and the main loop. Its memory is in audio_ring.h:
// its size depends on the bundle.
#ifndef KWS_BOARDS_AUDIO_PROVIDER_H_
#define KWS_BOARDS_AUDIO_PROVIDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "frontend/frontend.h"

namespace kws {

// Holds 16 kHz mono samples. One producer (the interrupt that the microphone's DMA raises) calls
// Push, one consumer (the main loop) calls the rest; neither ever waits for the other.
//
// When the consumer falls behind, the newest samples are dropped and counted: nothing is skipped
// without a word. Losses in a row, up to the next Push that fits whole, are one burst.
class AudioProvider {
 public:
  static constexpr size_t kHopSamples = Frontend::kStrideSamples;

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
  friend class AudioRing;  // every AudioProvider is one
  constexpr AudioProvider() = default;

  // Samples written and read since the start; they wrap at 2^32, their difference is the fill.
  std::atomic<uint32_t> written_{0};
  std::atomic<uint32_t> read_{0};
  uint32_t write_at_ = 0;            // the producer's place in the ring
  uint32_t read_at_ = 0;             // the consumer's: the begin of a hop
  std::atomic<uint32_t> lost_{0};    // written by the producer
  std::atomic<uint32_t> closed_{0};  // lost_ when the last burst ended; written by the producer
  uint32_t reported_ = 0;            // the consumer's: closed_ at the last TakeLost
};

}  // namespace kws

#endif  // KWS_BOARDS_AUDIO_PROVIDER_H_
