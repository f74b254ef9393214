// SPDX-License-Identifier: Apache-2.0
// One channel of loops/pool.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_POOL_H_
#define KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_POOL_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/pool.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {

// Rounded, halves away from zero.
inline int8_t MeanOfTaps(const PoolPixel& pixel, int32_t sum) {
  const int32_t count = pixel.height * pixel.width;
  const int32_t half = count / 2;
  // MakeWindow has checked the output's size, so each window holds a tap.
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero,clang-analyzer-core.UndefinedBinaryOperatorResult)
  const int32_t mean = (sum > 0 ? sum + half : sum - half) / count;
  return static_cast<int8_t>(Clamp(mean, pixel.min, pixel.max));
}

inline int32_t SumOfChannel(const PoolPixel& pixel, const int8_t* row) {
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

inline int8_t LargestOfChannel(const PoolPixel& pixel, const int8_t* row) {
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

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_POOL_H_
