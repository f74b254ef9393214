// SPDX-License-Identifier: Apache-2.0
#include "pipeline/feature_provider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/frontend/frontend_signals.h"

namespace kws {
namespace {

constexpr int kHop = FeatureProvider::kHopSamples;
constexpr FeatureProvider kConstantInitialized;  // a global needs no code before main()

using Frame = std::array<int8_t, Frontend::kChannels>;
using Spectrogram = std::array<Frame, FeatureProvider::kFrames>;

std::vector<int16_t> Noise(int hops) {
  test::Random random(7);
  std::vector<int16_t> pcm(static_cast<size_t>(hops * kHop));
  for (int16_t& sample : pcm) sample = static_cast<int16_t>(random.Next() >> 18);
  return pcm;
}

// Frames of a clip computed at once.
std::vector<Frame> Frames(const std::vector<int16_t>& pcm) {
  std::vector<Frame> frames;
  Frontend frontend;
  for (size_t i = 0; i + Frontend::kWindowSamples <= pcm.size(); i += kHop) {
    frames.emplace_back();
    frontend.ProcessFrame(pcm.data() + i, frames.back().data());
  }
  return frames;
}

Spectrogram Copy(const FeatureProvider& provider) {
  Spectrogram spectrogram;
  provider.CopyNewest(FeatureProvider::kFrames, spectrogram[0].data());
  return spectrogram;
}

Frame NoEnergy() {
  Frame frame;
  frame.fill(-128);
  return frame;
}

TEST(FeatureProvider, OneSecondGivesTheClipsSpectrogram) {
  const std::vector<int16_t> pcm = Noise(50);
  FeatureProvider provider;
  for (int hop = 0; hop < 50; ++hop) {
    EXPECT_FALSE(provider.ready()) << hop;
    EXPECT_EQ(provider.Push(pcm.data() + hop * kHop), hop > 0);
  }
  EXPECT_TRUE(provider.ready());
  EXPECT_EQ(provider.frames(), 49u);
  const std::vector<Frame> expected = Frames(pcm);
  const Spectrogram spectrogram = Copy(provider);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), spectrogram.begin(), spectrogram.end()));
}

TEST(FeatureProvider, KeepsTheNewestFramesOldestFirst) {
  const std::vector<int16_t> pcm = Noise(160);
  const std::vector<Frame> frames = Frames(pcm);
  FeatureProvider provider;
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

TEST(FeatureProvider, CopiesTheNewestFramesOldestFirst) {
  const std::vector<int16_t> pcm = Noise(120);
  const std::vector<Frame> frames = Frames(pcm);
  FeatureProvider provider;
  for (int hop = 0; hop < 120; ++hop) {
    provider.Push(pcm.data() + hop * kHop);
    for (const int count : {1, 3, 48, 49}) {
      if (hop < count) continue;
      std::vector<Frame> newest(static_cast<size_t>(count));
      provider.CopyNewest(count, newest[0].data());
      ASSERT_TRUE(std::equal(newest.begin(), newest.end(), frames.begin() + hop - count))
          << hop << " " << count;
    }
  }
}

TEST(FeatureProvider, IsEmptyBeforeTheFirstFrame) {
  FeatureProvider provider;
  EXPECT_EQ(provider.frames(), 0u);
  for (const Frame& frame : Copy(provider)) EXPECT_EQ(frame, NoEnergy());
}

TEST(FeatureProvider, SilenceForgetsFramesAndNothingElse) {
  const std::vector<int16_t> pcm = Noise(160);
  const std::vector<Frame> frames = Frames(pcm);
  FeatureProvider provider;
  for (int hop = 0; hop < 160; ++hop) {
    provider.Push(pcm.data() + hop * kHop);
    if (hop < 70) continue;
    if (hop == 70) provider.Silence();
    const size_t made = static_cast<size_t>(hop);
    EXPECT_TRUE(provider.ready());
    EXPECT_EQ(provider.frames(), made);
    EXPECT_TRUE(std::equal(frames[made - 1].begin(), frames[made - 1].end(), provider.newest()));
    const Spectrogram spectrogram = Copy(provider);
    for (size_t i = 0; i < spectrogram.size(); ++i) {
      const size_t age = spectrogram.size() - i;
      ASSERT_EQ(spectrogram[i], age <= made - 70 ? frames[made - age] : NoEnergy()) << hop;
    }
  }
}

TEST(FeatureProvider, ResetStartsAnew) {
  const std::vector<int16_t> pcm = Noise(60);
  FeatureProvider provider;
  for (int hop = 0; hop < 60; ++hop) provider.Push(pcm.data() + hop * kHop);
  provider.Reset();
  EXPECT_FALSE(provider.ready());
  EXPECT_EQ(provider.frames(), 0u);
  EXPECT_FALSE(provider.Push(pcm.data()));
  EXPECT_TRUE(provider.Push(pcm.data() + kHop));
  const Spectrogram spectrogram = Copy(provider);
  EXPECT_EQ(spectrogram[48], Frames(pcm)[0]);
  EXPECT_EQ(spectrogram[47], NoEnergy());
}

}  // namespace
}  // namespace kws
