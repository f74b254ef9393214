// SPDX-License-Identifier: Apache-2.0
// The sample ring between the microphone's interrupt and the main loop. audio_ring.h has its
// storage; the size depends on the bundle.
#ifndef KWS_BOARDS_AUDIO_PROVIDER_H_
#define KWS_BOARDS_AUDIO_PROVIDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kws/frontend/frontend.h"

namespace kws {

// 16 kHz mono samples. Lock-free: one producer (the microphone's DMA interrupt) calls Push and
// Lose, one consumer (the main loop) calls the rest.
//
// If the ring is full, the newest samples are dropped and counted. Losses until the next Push that
// fits completely form one burst.
class AudioProvider {
 public:
  static constexpr size_t kHopSamples = Frontend::kStrideSamples;

  // Interrupt context. Keeps the samples that fit, drops the rest.
  void Push(const int16_t* samples, size_t count);

  // Interrupt context. Counts `count` samples that the microphone lost.
  void Lose(uint32_t count);

  // Main loop. Fills `hop` (kHopSamples values) and returns true; false if fewer samples are
  // waiting.
  bool PopHop(int16_t* hop);

  // Main loop. Samples lost in bursts that have ended since the last call, so that each burst is
  // reported once.
  uint32_t TakeLost();

  // Samples lost since the start, including the current burst, modulo 2^32.
  uint32_t overruns() const { return lost_.load(std::memory_order_relaxed); }

 private:
  friend class AudioRing;  // the only derived class
  constexpr AudioProvider() = default;

  // Samples written and read since the start, modulo 2^32.
  std::atomic<uint32_t> written_{0};
  std::atomic<uint32_t> read_{0};
  uint32_t write_at_ = 0;            // the producer's ring index
  uint32_t read_at_ = 0;             // the consumer's ring index, at the start of a hop
  std::atomic<uint32_t> lost_{0};    // written by the producer
  std::atomic<uint32_t> closed_{0};  // lost_ when the last burst ended; written by the producer
  uint32_t reported_ = 0;            // closed_ at the last TakeLost
};

}  // namespace kws

#endif  // KWS_BOARDS_AUDIO_PROVIDER_H_
