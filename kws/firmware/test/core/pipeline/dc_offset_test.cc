// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/dc_offset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace kws {
namespace {

constexpr size_t kBlock = 256;

std::vector<int16_t> Noise(size_t count, double level, int offset, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(offset, level);
  std::vector<int16_t> samples(count);
  for (int16_t& s : samples) {
    s = static_cast<int16_t>(std::lround(std::fmin(std::fmax(normal(random), -32768), 32767)));
  }
  return samples;
}

double Mean(const std::vector<int16_t>& samples, size_t from) {
  double sum = 0;
  for (size_t i = from; i < samples.size(); ++i) sum += samples[i];
  return sum / static_cast<double>(samples.size() - from);
}

void Remove(DcOffset& dc, std::vector<int16_t>& samples) {
  for (size_t at = 0; at < samples.size(); at += kBlock) {
    dc.Remove(&samples[at], std::min(kBlock, samples.size() - at));
  }
}

TEST(DcOffset, SamplesWithoutOffsetPassUnchanged) {
  for (double level : {0.0, 30.0, 3000.0, 12000.0}) {
    const std::vector<int16_t> before = Noise(20 * 16000, level, 0, 1);
    std::vector<int16_t> after = before;
    DcOffset dc;
    Remove(dc, after);
    EXPECT_EQ(after, before) << "level " << level;
  }
}

TEST(DcOffset, RemovesAnOffsetAtOnceInQuietAndInSecondsWithSound) {
  for (int offset : {-20000, -1000, -100, 100, 1000, 20000}) {
    std::vector<int16_t> quiet = Noise(16000, 20, offset, 2);
    DcOffset dc;
    Remove(dc, quiet);
    EXPECT_LT(std::fabs(Mean(quiet, 0)), 1.1 * DcOffset::kStep) << offset;

    std::vector<int16_t> loud = Noise(40 * 16000, 8000, offset, 3);
    dc.Reset();
    const int32_t begin = dc.offset();
    Remove(dc, loud);
    EXPECT_EQ(begin, 0);
    EXPECT_LT(std::fabs(Mean(loud, 39 * 16000)), 1.7 * DcOffset::kStep) << offset;
  }
}

TEST(DcOffset, OnlyTheFirstBlockSetsTheOffsetAtOnce) {
  std::vector<int16_t> samples(kBlock, 0);
  DcOffset dc;
  Remove(dc, samples);
  samples.assign(kBlock, 10000);
  Remove(dc, samples);
  EXPECT_EQ(samples, std::vector<int16_t>(kBlock, 10000));
}

TEST(DcOffset, FollowsADrift) {
  std::vector<int16_t> samples = Noise(60 * 16000, 100, 0, 4);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] =
        static_cast<int16_t>(samples[i] + 3000.0 * static_cast<double>(i) / samples.size());
  }
  DcOffset dc;
  Remove(dc, samples);
  // 50 a second with a time constant of 4.1 s lags by 205.
  EXPECT_LT(std::fabs(Mean(samples, 59 * 16000)), 205 + DcOffset::kStep);
}

TEST(DcOffset, SaturatesAndNeverOverflows) {
  std::vector<int16_t> low(kBlock, -32768);
  DcOffset dc;
  Remove(dc, low);
  EXPECT_EQ(dc.offset(), -32768);
  std::vector<int16_t> high(32768, 32767);
  dc.Remove(high.data(), high.size());
  for (int16_t s : high) ASSERT_EQ(s, 32767);
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<int16_t> block(1 + random() % 1000, random() % 2 != 0 ? 32767 : -32768);
    dc.Remove(block.data(), block.size());
    ASSERT_LE(std::abs(dc.offset()), 32768);
  }
}

}  // namespace
}  // namespace kws
