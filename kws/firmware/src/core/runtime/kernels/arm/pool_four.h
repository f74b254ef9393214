// SPDX-License-Identifier: Apache-2.0
// A pooling window over four channels at once, for the Cortex-M4 alone.
#ifndef KWS_RUNTIME_KERNELS_ARM_POOL_FOUR_H_
#define KWS_RUNTIME_KERNELS_ARM_POOL_FOUR_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"
#include "runtime/kernels/shared/pool_loops.h"
#include "runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

// Of four channels that lie side by side, summed in 16 bits as long as these hold them.
inline void SumOfFour(const PoolPixel& pixel, const int8_t* row, int32_t sums[4]) {
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

inline uint32_t LargestOfFour(const PoolPixel& pixel, const int8_t* row) {
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

}  // namespace kws
#endif  // KWS_HAVE_DSP

#endif  // KWS_RUNTIME_KERNELS_ARM_POOL_FOUR_H_
