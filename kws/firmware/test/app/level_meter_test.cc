// SPDX-License-Identifier: Apache-2.0
#include "app/level_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kws {
namespace {

Level Measure(const std::vector<int16_t>& samples) {
  LevelMeter meter;
  for (size_t at = 0; at < samples.size(); at += 320) {
    meter.Add(&samples[at], std::min<size_t>(320, samples.size() - at));
  }
  return meter.last();
}

std::vector<int16_t> Tone(double amplitude, int offset) {
  std::vector<int16_t> samples(LevelMeter::kSamples);
  for (size_t i = 0; i < samples.size(); ++i) {
    const double value = offset + amplitude * std::sin(0.1 * M_PI * static_cast<double>(i));
    samples[i] = static_cast<int16_t>(std::lround(std::fmin(std::fmax(value, -32768), 32767)));
  }
  return samples;
}

TEST(LevelMeter, MeasuresATone) {
  for (int offset : {0, 300, -12000}) {
    const Level level = Measure(Tone(1000, offset));
    EXPECT_NEAR(level.peak, 1000 + std::abs(offset), 1) << offset;
    EXPECT_NEAR(level.rms, 707, 1) << offset;
    EXPECT_NEAR(level.offset, offset, 1) << offset;
    EXPECT_EQ(level.clipped, 0u) << offset;
  }
}

TEST(LevelMeter, CountsClippedSamples) {
  // A sine of twice full scale is above it from 30 to 150 degrees, and below it for as long.
  EXPECT_NEAR(Measure(Tone(65536, 0)).clipped, 700, 40);
  const std::vector<int16_t> lowest(LevelMeter::kSamples, -32768);
  const Level level = Measure(lowest);
  EXPECT_EQ(level.peak, 32768u);
  EXPECT_EQ(level.rms, 0u);
  EXPECT_EQ(level.offset, -32768);
  EXPECT_EQ(level.clipped, 1000u);
}

TEST(LevelMeter, FullScaleDoesNotOverflow) {
  std::vector<int16_t> samples(LevelMeter::kSamples);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = i % 2 == 0 ? -32768 : 32767;
  EXPECT_NEAR(Measure(samples).rms, 32767, 1);
}

TEST(LevelMeter, ResultDoesNotDependOnBlockSizes) {
  std::vector<int16_t> samples = Tone(40000, 100);
  samples.insert(samples.end(), samples.begin(), samples.begin() + 1000);  // of the next second
  LevelMeter at_once;
  at_once.Add(samples.data(), samples.size());
  LevelMeter one_by_one;
  for (const int16_t& sample : samples) one_by_one.Add(&sample, 1);
  EXPECT_EQ(at_once.last().peak, one_by_one.last().peak);
  EXPECT_EQ(at_once.last().rms, one_by_one.last().rms);
  EXPECT_EQ(at_once.last().offset, one_by_one.last().offset);
  EXPECT_EQ(at_once.last().clipped, one_by_one.last().clipped);
  EXPECT_GT(at_once.last().clipped, 0u);
}

TEST(LevelMeter, ReportsTheLastCompleteSecond) {
  LevelMeter meter;
  std::vector<int16_t> loud(LevelMeter::kSamples, 5000);
  meter.Add(loud.data(), loud.size() - 1);
  EXPECT_EQ(meter.last().peak, 0u);
  meter.Add(loud.data(), 1);
  EXPECT_EQ(meter.last().peak, 5000u);
  const std::vector<int16_t> quiet(LevelMeter::kSamples, 7);
  meter.Add(quiet.data(), quiet.size() - 1);
  EXPECT_EQ(meter.last().peak, 5000u);
  meter.Add(quiet.data(), 1);
  EXPECT_EQ(meter.last().peak, 7u);
}

}  // namespace
}  // namespace kws
