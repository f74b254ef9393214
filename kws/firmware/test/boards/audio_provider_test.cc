// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "boards/audio_ring.h"

namespace kws {
namespace {

constexpr size_t kHop = AudioRing::kHopSamples;

std::vector<int16_t> Ramp(size_t count, int first = 0) {
  std::vector<int16_t> samples(count);
  for (size_t i = 0; i < count; ++i) samples[i] = static_cast<int16_t>(first + static_cast<int>(i));
  return samples;
}

void Push(AudioProvider& audio, size_t count, int first = 0) {
  const std::vector<int16_t> samples = Ramp(count, first);
  audio.Push(samples.data(), samples.size());
}

TEST(AudioProvider, PopHopNeedsAWholeHop) {
  AudioRing audio;
  int16_t hop[kHop];
  EXPECT_FALSE(audio.PopHop(hop));
  Push(audio, kHop - 1);
  EXPECT_FALSE(audio.PopHop(hop));
  Push(audio, 1);
  EXPECT_TRUE(audio.PopHop(hop));
  EXPECT_FALSE(audio.PopHop(hop));
}

TEST(AudioProvider, KeepsOrderAcrossTheRingsEnd) {
  AudioRing audio;
  int next_in = 0;
  int next_out = 0;
  for (int round = 0; round < 300; ++round) {
    const size_t block = 1 + static_cast<size_t>(round * 37) % 300;
    Push(audio, block, next_in);
    next_in += static_cast<int>(block);
    int16_t hop[kHop];
    while (audio.PopHop(hop)) {
      for (int16_t sample : hop) ASSERT_EQ(sample, static_cast<int16_t>(next_out++));
    }
  }
  EXPECT_GT(next_out, 4 * static_cast<int>(AudioRing::kCapacity));
  EXPECT_EQ(audio.overruns(), 0u);
}

TEST(AudioProvider, HoldsItsWholeCapacity) {
  AudioRing audio;
  Push(audio, AudioRing::kCapacity);
  EXPECT_EQ(audio.overruns(), 0u);
  Push(audio, 1);
  EXPECT_EQ(audio.overruns(), 1u);
}

TEST(AudioProvider, DropsTheNewestSamplesWhenFull) {
  AudioRing audio;
  Push(audio, AudioRing::kCapacity + 100);
  EXPECT_EQ(audio.overruns(), 100u);
  int next = 0;
  int16_t hop[kHop];
  while (audio.PopHop(hop)) {
    for (int16_t sample : hop) ASSERT_EQ(sample, next++);
  }
}

TEST(AudioProvider, OverrunIsReportedOnceAfterItsBurst) {
  AudioRing audio;
  Push(audio, AudioRing::kCapacity);
  for (int i = 0; i < 3; ++i) Push(audio, 10);
  EXPECT_EQ(audio.TakeLost(), 0u) << "the burst continues";
  EXPECT_EQ(audio.overruns(), 30u);
  int16_t hop[kHop];
  ASSERT_TRUE(audio.PopHop(hop));
  Push(audio, 10);
  EXPECT_EQ(audio.TakeLost(), 30u);
  EXPECT_EQ(audio.TakeLost(), 0u);

  Push(audio, AudioRing::kCapacity);  // a second burst
  const uint32_t lost = audio.overruns() - 30;
  ASSERT_TRUE(audio.PopHop(hop));
  Push(audio, 1);
  EXPECT_EQ(audio.TakeLost(), lost);
}

TEST(AudioProvider, LoseCountsAsLost) {
  AudioRing audio;
  audio.Lose(320);
  EXPECT_EQ(audio.overruns(), 320u);
  EXPECT_EQ(audio.TakeLost(), 0u) << "the burst continues";
  Push(audio, 1);
  EXPECT_EQ(audio.TakeLost(), 320u);
}

TEST(AudioProvider, LosesNothingBetweenAProducerAndAConsumerThread) {
  AudioRing audio;
  constexpr int kHops = 2000;
  std::atomic<int> popped{0};
  std::thread producer([&] {
    int next = 0;
    while (next < kHops * static_cast<int>(kHop)) {
      // As a microphone would, but never faster than the consumer: no loss is expected here.
      if (next - popped.load() * static_cast<int>(kHop) + 64 >
          static_cast<int>(AudioRing::kCapacity)) {
        std::this_thread::yield();
        continue;
      }
      Push(audio, 64, next);
      next += 64;
    }
  });
  int next = 0;
  bool same = true;
  while (popped.load() < kHops) {
    int16_t hop[kHop];
    if (!audio.PopHop(hop)) {
      std::this_thread::yield();
      continue;
    }
    for (int16_t sample : hop) same = same && sample == static_cast<int16_t>(next++);
    ++popped;
  }
  producer.join();
  EXPECT_TRUE(same);
  EXPECT_EQ(audio.overruns(), 0u);
}

}  // namespace
}  // namespace kws
