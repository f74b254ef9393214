// SPDX-License-Identifier: Apache-2.0
#include "boards/audio_ring.h"

#include "boards/audio_provider.h"

namespace kws {
namespace {

constexpr size_t kCapacity = AudioRing::kCapacity;

}  // namespace

void AudioProvider::Push(const int16_t* samples, size_t count) {
  const uint32_t written = written_.load(std::memory_order_relaxed);
  const uint32_t waiting = written - read_.load(std::memory_order_acquire);
  const size_t free = kCapacity - waiting;
  const size_t kept = count < free ? count : free;
  int16_t* ring = static_cast<AudioRing*>(this)->ring_;
  uint32_t at = write_at_;
  for (size_t i = 0; i < kept; ++i) {
    ring[at] = samples[i];
    at = at + 1 < kCapacity ? at + 1 : 0;
  }
  write_at_ = at;
  written_.store(written + static_cast<uint32_t>(kept), std::memory_order_release);

  if (kept < count) {
    Lose(static_cast<uint32_t>(count - kept));
  } else {
    closed_.store(lost_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

void AudioProvider::Lose(uint32_t count) {
  lost_.store(lost_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

bool AudioProvider::PopHop(int16_t* hop) {
  const uint32_t read = read_.load(std::memory_order_relaxed);
  const uint32_t waiting = written_.load(std::memory_order_acquire) - read;
  if (waiting < kHopSamples) return false;
  const int16_t* ring = static_cast<const AudioRing*>(this)->ring_;
  const uint32_t at = read_at_;
  for (size_t i = 0; i < kHopSamples; ++i) hop[i] = ring[at + i];
  read_at_ = at + kHopSamples < kCapacity ? at + kHopSamples : 0;
  read_.store(read + kHopSamples, std::memory_order_release);
  return true;
}

uint32_t AudioProvider::TakeLost() {
  const uint32_t closed = closed_.load(std::memory_order_relaxed);
  const uint32_t lost = closed - reported_;
  reported_ = closed;
  return lost;
}

}  // namespace kws
