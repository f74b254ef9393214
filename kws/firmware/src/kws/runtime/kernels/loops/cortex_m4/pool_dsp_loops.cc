// SPDX-License-Identifier: Apache-2.0
// Four channels at a time.
#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/pool.h"
#include "kws/runtime/kernels/loops/portable/pool.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

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

}  // namespace

void PoolMean(const PoolPixel& pixel, int8_t* output) {
  int channel = 0;
  for (; channel + 4 <= pixel.channels; channel += 4) {
    int32_t sums[4];
    SumOfFour(pixel, pixel.first + channel, sums);
    for (int i = 0; i < 4; ++i) output[channel + i] = MeanOfTaps(pixel, sums[i]);
  }
  for (; channel < pixel.channels; ++channel) {
    output[channel] = MeanOfTaps(pixel, SumOfChannel(pixel, pixel.first + channel));
  }
}

void PoolLargest(const PoolPixel& pixel, int8_t* output) {
  int channel = 0;
  for (; channel + 4 <= pixel.channels; channel += 4) {
    const uint32_t largest = LargestOfFour(pixel, pixel.first + channel);
    __builtin_memcpy(output + channel, &largest, 4);
  }
  for (; channel < pixel.channels; ++channel) {
    output[channel] = LargestOfChannel(pixel, pixel.first + channel);
  }
}

}  // namespace kws
#endif
