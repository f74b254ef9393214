// SPDX-License-Identifier: Apache-2.0
#include "app/level_meter.h"

#include <algorithm>

namespace kws {
namespace {

constexpr int32_t kFullScale = 32767;

bool IsFullScale(int32_t sample) { return sample >= kFullScale || sample <= -kFullScale; }

// The largest number with a square of at most `value`, computed bit by bit.
uint32_t SquareRoot(uint32_t value) {
  uint32_t root = 0;
  for (uint32_t bit = 1u << 15; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= value) root |= bit;
  }
  return root;
}

}  // namespace

void LevelMeter::Add(const int16_t* samples, size_t count) {
  while (count > 0) {
    const size_t part = std::min<size_t>(count, kSamples - count_);
    Measure(samples, part);
    samples += part;
    count -= part;
    count_ += static_cast<uint32_t>(part);
    if (count_ == kSamples) Finish();
  }
}

void LevelMeter::Measure(const int16_t* samples, size_t count) {
  // Local sums stay in registers.
  int32_t low = 0;
  int32_t high = 0;
  int32_t sum = 0;
  int64_t squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const int32_t sample = samples[i];
    low = std::min(low, sample);
    high = std::max(high, sample);
    sum += sample;
    squares += static_cast<int64_t>(sample) * sample;
  }
  const int32_t peak = std::max(-low, high);
  if (peak >= kFullScale) {
    for (size_t i = 0; i < count; ++i) clipped_ += IsFullScale(samples[i]);
  }
  peak_ = std::max(peak_, static_cast<uint32_t>(peak));
  sum_ += sum;
  squares_ += static_cast<uint64_t>(squares);
}

void LevelMeter::Finish() {
  const uint64_t offset_squares =
      static_cast<uint64_t>(static_cast<int64_t>(sum_) * sum_) >> kSamplesLog2;
  last_.peak = peak_;
  last_.rms = SquareRoot(static_cast<uint32_t>((squares_ - offset_squares) >> kSamplesLog2));
  last_.offset = sum_ / static_cast<int32_t>(kSamples);
  last_.clipped = clipped_ * 1000 >> kSamplesLog2;
  count_ = peak_ = clipped_ = 0;
  sum_ = 0;
  squares_ = 0;
}

}  // namespace kws
