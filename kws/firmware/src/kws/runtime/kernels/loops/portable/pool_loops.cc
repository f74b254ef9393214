// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/pool.h"

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/model/flatbuffer.h"

namespace kws {
namespace {

// Rounded, halves away from zero.
int8_t Mean(const PoolPixel& pixel, int32_t sum) {
  const int32_t count = pixel.height * pixel.width;
  const int32_t half = count / 2;
  // MakeWindow has checked the output's size, so each window holds a tap.
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero,clang-analyzer-core.UndefinedBinaryOperatorResult)
  const int32_t mean = (sum > 0 ? sum + half : sum - half) / count;
  return static_cast<int8_t>(Clamp(mean, pixel.min, pixel.max));
}

int32_t SumOfChannel(const PoolPixel& pixel, const int8_t* row) {
  int32_t sum = 0;
  int rows = pixel.height;
  do {
    const int8_t* at = row;
    int taps = pixel.width;
    do {
      sum += *at;
      at += pixel.channels;
    } while (--taps > 0);
    row += pixel.row_bytes;
  } while (--rows > 0);
  return sum;
}

int8_t LargestOfChannel(const PoolPixel& pixel, const int8_t* row) {
  int32_t largest = pixel.min;
  int rows = pixel.height;
  do {
    const int8_t* at = row;
    int taps = pixel.width;
    do {
      if (*at > largest) largest = *at;
      at += pixel.channels;
    } while (--taps > 0);
    row += pixel.row_bytes;
  } while (--rows > 0);
  return static_cast<int8_t>(largest < pixel.max ? largest : pixel.max);
}

#if KWS_HAVE_DSP
// Four neighbouring channels; 16-bit sums of up to kMaxTaps taps.
void SumOfFour(const PoolPixel& pixel, const int8_t* row, int32_t sums[4]) {
  constexpr int kMaxTaps = 256;
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  int rows = pixel.height;
  do {
    const int8_t* at = row;
    int left = pixel.width;
    do {
      uint32_t even = 0;
      uint32_t odd = 0;
      int taps = left < kMaxTaps ? left : kMaxTaps;
      left -= taps;
      do {
        const uint32_t bytes = LoadAs<uint32_t>(at);
        even = dsp::AddEven(even, bytes);
        odd = dsp::AddOdd(odd, bytes);
        at += pixel.channels;
      } while (--taps > 0);
      sum0 += static_cast<int16_t>(even);
      sum1 += static_cast<int16_t>(odd);
      sum2 += static_cast<int32_t>(even) >> 16;
      sum3 += static_cast<int32_t>(odd) >> 16;
    } while (left > 0);
    row += pixel.row_bytes;
  } while (--rows > 0);
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

uint32_t LargestOfFour(const PoolPixel& pixel, const int8_t* row) {
  uint32_t largest = dsp::FourTimes(pixel.min);
  int rows = pixel.height;
  do {
    const int8_t* at = row;
    int taps = pixel.width;
    do {
      largest = dsp::LargerBytes(LoadAs<uint32_t>(at), largest);
      at += pixel.channels;
    } while (--taps > 0);
    row += pixel.row_bytes;
  } while (--rows > 0);
  return dsp::SmallerBytes(largest, dsp::FourTimes(pixel.max));
}
#endif

}  // namespace

void PoolMean(const PoolPixel& pixel, int8_t* output) {
  int channel = 0;
#if KWS_HAVE_DSP
  for (; channel + 4 <= pixel.channels; channel += 4) {
    int32_t sums[4];
    SumOfFour(pixel, pixel.first + channel, sums);
    for (int i = 0; i < 4; ++i) output[channel + i] = Mean(pixel, sums[i]);
  }
#endif
  for (; channel < pixel.channels; ++channel) {
    output[channel] = Mean(pixel, SumOfChannel(pixel, pixel.first + channel));
  }
}

void PoolLargest(const PoolPixel& pixel, int8_t* output) {
  int channel = 0;
#if KWS_HAVE_DSP
  for (; channel + 4 <= pixel.channels; channel += 4) {
    const uint32_t largest = LargestOfFour(pixel, pixel.first + channel);
    __builtin_memcpy(output + channel, &largest, 4);
  }
#endif
  for (; channel < pixel.channels; ++channel) {
    output[channel] = LargestOfChannel(pixel, pixel.first + channel);
  }
}

}  // namespace kws
