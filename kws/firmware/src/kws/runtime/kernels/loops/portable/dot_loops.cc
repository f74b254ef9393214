// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/avx2.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/loops/x86/dot_avx2_loops.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/model/flatbuffer.h"

#if !KWS_HAVE_DSP
namespace kws {
namespace {

// A column's taps are consecutive, so that compilers vectorize this loop. The sum wraps around.
int32_t DotColumn(const Filters& filter, const int16_t* columns, int column) {
  const int8_t* weights = filter.weights;
  const int16_t* taps = columns + column * filter.taps;
  uint32_t sum = filter.bias == nullptr ? 0 : LoadAs<uint32_t>(filter.bias);
  for (int32_t i = 0; i < filter.taps; ++i) sum += static_cast<uint32_t>(weights[i] * taps[i]);
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
  for (int i = filters.count; i > 0; --i) {
    for (int k = 0; k < count; ++k) {
      to[k * step] = one.outputs.At(0, DotColumn(one, columns, k));
    }
    ++to;
    one.outputs.Skip(1);
    one.weights += one.taps;
    if (one.bias != nullptr) ++one.bias;
  }
}

}  // namespace kws
#endif  // !KWS_HAVE_DSP
