// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/avx2.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/four_dots.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/loops/x86/dot_avx2_loops.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/model/flatbuffer.h"

#if !KWS_HAVE_DSP
namespace kws {
namespace {

// Without a bias.
int32_t DotColumn(const Filters& filter, const int16_t* taps) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < filter.taps; ++i) {
    sum += static_cast<uint32_t>(filter.weights[i] * taps[i]);
  }
  return static_cast<int32_t>(sum);
}

}  // namespace

int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  if (avx2::in_use) return avx2::Dot(input, filter, count, offset);
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    sum = WrappingAdd(sum, (input[i] + offset) * filter[i]);
  }
  return sum;
}

void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums) {
  if (avx2::in_use) return avx2::DotRows(input, filter, count, offset, sums);
  for (int i = 0; i < kDotRows; ++i) sums[i] = Dot(input, filter + i * count, count, offset);
}

void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                       int16_t* columns) {
  int16_t* to = columns + column * count;
  if (avx2::in_use) return avx2::WriteIm2colColumn(taps, count, offset, to);
  for (int32_t i = 0; i < count; ++i) to[i] = static_cast<int16_t>(taps[i] + offset);
}

void MultiplyIm2col(const Filters& filters, int16_t* columns, int count, int8_t* to, int32_t step) {
  if (avx2::in_use && filters.taps <= avx2::kMostTaps) {
    return avx2::MultiplyIm2col(filters, columns, count, to, step);
  }
  Filters one = filters;
  one.count = 1;
  const FourDots shape{filters.taps, filters.taps, 1, 0};
  for (int i = filters.count; i > 0; --i) {
    const int32_t bias = one.bias == nullptr ? 0 : LoadAs<int32_t>(one.bias);
    int32_t sums[kMaxIm2colColumns];
    const int in_fours = count < kFourDots ? 0 : count;
    for (int done = 0; done < in_fours; done += kFourDots) {
      // The last four may include columns that are computed again.
      const int k = done + kFourDots <= count ? done : count - kFourDots;
      for (int n = 0; n < kFourDots; ++n) sums[k + n] = bias;
      AddFourDots(shape, one.weights, columns + k * one.taps, sums + k);
    }
    for (int k = in_fours; k < count; ++k) {
      sums[k] = WrappingAdd(bias, DotColumn(one, columns + k * one.taps));
    }
    one.outputs.WriteChannel(0, sums, count, to, step);
    ++to;
    one.outputs.Skip(1);
    one.weights += one.taps;
    if (one.bias != nullptr) ++one.bias;
  }
}

}  // namespace kws
#endif  // !KWS_HAVE_DSP
