// SPDX-License-Identifier: Apache-2.0
#include "app/level_meter.h"

namespace kws {
namespace {

// The largest number whose square is at most `value`, bit by bit.
uint32_t SquareRoot(uint32_t value) {
  uint32_t root = 0;
  for (uint32_t bit = 1u << 15; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= value) root |= bit;
  }
  return root;
}

}  // namespace

void LevelMeter::Add(const int16_t* samples, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const int32_t sample = samples[i];
    const uint32_t magnitude = static_cast<uint32_t>(sample < 0 ? -sample : sample);
    if (magnitude > peak_) peak_ = magnitude;
    if (magnitude >= 32767) ++clipped_;
    sum_ += sample;
    squares_ += magnitude * magnitude;
    if (++count_ == kSamples) Finish();
  }
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
