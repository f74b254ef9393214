// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/feature_provider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/frontend/frontend_signals.h"

namespace kws {
namespace {

constexpr int kHop = FeatureProvider::kHopSamples;
int8_t kept[Frontend::kChannels];
constexpr FeatureProvider kConstantInitialized({kept, 1},
                                               kHop);  // a global needs no code before main()

using Frame = std::array<int8_t, Frontend::kChannels>;
using Spectrogram = std::array<Frame, 49>;

// A provider with its memory.
template <int kFrames = 49>
class Provider : public FeatureProvider {
 public:
  explicit Provider(int stride = kHop, int queued = 0)
      : FeatureProvider({bytes_, kFrames + queued, queued}, stride) {}

 private:
  int8_t bytes_[(kFrames + 5) * Frontend::kChannels];
};

std::vector<int16_t> Noise(int hops) {
  test::Random random(7);
  std::vector<int16_t> pcm(static_cast<size_t>(hops * kHop));
  for (int16_t& sample : pcm) sample = static_cast<int16_t>(random.Next() >> 18);
  return pcm;
}

// Frames of a clip computed at once.
std::vector<Frame> Frames(const std::vector<int16_t>& pcm, size_t stride = kHop) {
  std::vector<Frame> frames;
  Frontend frontend;
  for (size_t i = 0; i + Frontend::kWindowSamples <= pcm.size(); i += stride) {
    frames.emplace_back();
    frontend.ProcessFrame(pcm.data() + i, frames.back().data());
  }
  return frames;
}

Spectrogram Copy(const FeatureProvider& provider) {
  Spectrogram spectrogram;
  provider.CopyNewest(49, spectrogram[0].data());
  return spectrogram;
}

Frame NoEnergy() {
  Frame frame;
  frame.fill(-128);
  return frame;
}

TEST(FeatureProvider, OneSecondGivesTheClipsSpectrogram) {
  const std::vector<int16_t> pcm = Noise(50);
  Provider provider;
  for (int hop = 0; hop < 50; ++hop) {
    EXPECT_EQ(provider.Push(pcm.data() + hop * kHop), hop > 0);
  }
  EXPECT_EQ(provider.frames(), 49u);
  const std::vector<Frame> expected = Frames(pcm);
  const Spectrogram spectrogram = Copy(provider);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), spectrogram.begin(), spectrogram.end()));
}

TEST(FeatureProvider, QueuedFramesCountWhenTheyAreTaken) {
  const std::vector<int16_t> pcm = Noise(166);
  for (const int stride : {kHop, kHop / 2}) {
    Provider<> plain(stride), queued(stride, 5);
    EXPECT_EQ(queued.capacity(), 49);
    test::Random random(3);
    const int16_t* next = pcm.data();
    for (int taken = 0; taken < 160;) {
      const bool room = queued.queued() < queued.queue_capacity();
      if (queued.queued() == 0 || (room && random.Next() % 2 == 0)) {
        queued.Queue(next);
        next += stride;
      } else {
        ASSERT_EQ(queued.Take(), plain.Push(pcm.data() + taken * stride));
        ++taken;
        ASSERT_EQ(queued.frames(), plain.frames());
        ASSERT_EQ(Copy(queued), Copy(plain)) << taken;
      }
      if (taken == 100) queued.Silence(), plain.Silence();
    }
  }
}

TEST(FeatureProvider, KeepsTheNewestFramesOldestFirst) {
  const std::vector<int16_t> pcm = Noise(160);
  const std::vector<Frame> frames = Frames(pcm);
  Provider provider;
  for (int hop = 0; hop < 160; ++hop) {
    provider.Push(pcm.data() + hop * kHop);
    if (hop == 0) continue;
    const size_t made = static_cast<size_t>(hop);
    ASSERT_EQ(provider.frames(), made);
    ASSERT_TRUE(std::equal(frames[made - 1].begin(), frames[made - 1].end(), provider.newest()));
    const Spectrogram spectrogram = Copy(provider);
    for (size_t i = 0; i < spectrogram.size(); ++i) {
      const size_t age = spectrogram.size() - i;
      ASSERT_EQ(spectrogram[i], age <= made ? frames[made - age] : NoEnergy()) << hop << " " << i;
    }
  }
}

template <int kFrames>
void CopiesTheNewestFrames(const std::vector<int>& counts) {
  const std::vector<int16_t> pcm = Noise(320);
  const std::vector<Frame> frames = Frames(pcm);
  Provider<kFrames> provider;
  ASSERT_EQ(provider.capacity(), kFrames);
  for (int hop = 0; hop < 320; ++hop) {
    provider.Push(pcm.data() + hop * kHop);
    for (const int count : counts) {
      if (hop < count) continue;
      std::vector<Frame> newest(static_cast<size_t>(count));
      provider.CopyNewest(count, newest[0].data());
      ASSERT_TRUE(std::equal(newest.begin(), newest.end(), frames.begin() + hop - count))
          << hop << " " << count;
      for (const int skipped : {1, (kFrames - count) / 2, kFrames - count}) {
        if (skipped < 0 || count + skipped > kFrames || hop < count + skipped) continue;
        provider.CopyNewest(count, newest[0].data(), skipped);
        ASSERT_TRUE(
            std::equal(newest.begin(), newest.end(), frames.begin() + hop - count - skipped))
            << hop << " " << count << " " << skipped;
      }
    }
  }
}

TEST(FeatureProvider, CopiesTheNewestFramesOldestFirst) {
  CopiesTheNewestFrames<1>({1});
  CopiesTheNewestFrames<25>({1, 24, 25});
  CopiesTheNewestFrames<49>({1, 3, 48, 49});
  CopiesTheNewestFrames<150>({1, 3, 49, 149, 150});
}

TEST(FeatureProvider, HalfTheStrideGivesTheClipsFramesTwiceAsOften) {
  const std::vector<int16_t> pcm = Noise(60);
  constexpr int kStride = kHop / 2;
  const std::vector<Frame> frames = Frames(pcm, kStride);
  Provider provider(kStride);
  size_t made = 0;
  for (int stride = 0; stride < 120; ++stride) {
    EXPECT_EQ(provider.Push(pcm.data() + stride * kStride), stride >= 2) << stride;
    if (stride < 2) continue;
    ASSERT_TRUE(std::equal(frames[made].begin(), frames[made].end(), provider.newest())) << stride;
    ++made;
  }
  EXPECT_EQ(made, frames.size());
  EXPECT_EQ(provider.frames(), made);
}

TEST(FeatureProvider, IsEmptyBeforeTheFirstFrame) {
  Provider provider;
  EXPECT_EQ(provider.frames(), 0u);
  for (const Frame& frame : Copy(provider)) EXPECT_EQ(frame, NoEnergy());
}

TEST(FeatureProvider, SilenceClearsFramesOnly) {
  const std::vector<int16_t> pcm = Noise(160);
  const std::vector<Frame> frames = Frames(pcm);
  Provider provider;
  for (int hop = 0; hop < 160; ++hop) {
    provider.Push(pcm.data() + hop * kHop);
    if (hop < 70) continue;
    if (hop == 70) provider.Silence();
    const size_t made = static_cast<size_t>(hop);
    EXPECT_EQ(provider.frames(), made);
    EXPECT_TRUE(std::equal(frames[made - 1].begin(), frames[made - 1].end(), provider.newest()));
    const Spectrogram spectrogram = Copy(provider);
    for (size_t i = 0; i < spectrogram.size(); ++i) {
      const size_t age = spectrogram.size() - i;
      ASSERT_EQ(spectrogram[i], age <= made - 70 ? frames[made - age] : NoEnergy()) << hop;
    }
  }
}

TEST(FeatureProvider, ResetClearsAllFrames) {
  const std::vector<int16_t> pcm = Noise(60);
  Provider provider;
  for (int hop = 0; hop < 60; ++hop) provider.Push(pcm.data() + hop * kHop);
  provider.Reset();
  EXPECT_EQ(provider.frames(), 0u);
  EXPECT_FALSE(provider.Push(pcm.data()));
  EXPECT_TRUE(provider.Push(pcm.data() + kHop));
  const Spectrogram spectrogram = Copy(provider);
  EXPECT_EQ(spectrogram[48], Frames(pcm)[0]);
  EXPECT_EQ(spectrogram[47], NoEnergy());
}

}  // namespace
}  // namespace kws
