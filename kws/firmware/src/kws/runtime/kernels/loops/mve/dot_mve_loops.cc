// SPDX-License-Identifier: Apache-2.0
// The loops of loops/dot.h with Helium: sixteen products per instruction.
//
// Values keep their zero point: the sum over (input + offset) * filter is the sum over input *
// filter, plus offset times the filter's sum. So a column of the im2col buffer holds int8. The
// buffer's first value is the offset; the columns follow.
#include <cstring>

#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/mve/mve.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_MVE
namespace kws {
namespace {

// Sums of products wrap around, and so does the compiler's int32_t here.
inline int32_t Sum(int32_t products, int32_t offset, int32_t filter_sum, int32_t bias) {
  return static_cast<int32_t>(static_cast<uint32_t>(products) +
                              static_cast<uint32_t>(offset) * static_cast<uint32_t>(filter_sum) +
                              static_cast<uint32_t>(bias));
}

int32_t SumOf(const int8_t* values, int32_t count) {
  int32_t sum = 0;
  for (; count >= mve::kBytes; count -= mve::kBytes, values += mve::kBytes) {
    sum = vaddvaq_s8(sum, vldrbq_s8(values));
  }
  if (count > 0) sum = vaddvaq_s8(sum, vldrbq_z_s8(values, vctp8q(static_cast<uint32_t>(count))));
  return sum;
}

int32_t Product(const int8_t* a, const int8_t* b, int32_t count) {
  int32_t sum = 0;
  for (; count >= mve::kBytes; count -= mve::kBytes, a += mve::kBytes, b += mve::kBytes) {
    sum = vmladavaq_s8(sum, vldrbq_s8(a), vldrbq_s8(b));
  }
  if (count > 0) {
    const mve_pred16_t rest = vctp8q(static_cast<uint32_t>(count));
    sum = vmladavaq_s8(sum, vldrbq_z_s8(a, rest), vldrbq_z_s8(b, rest));
  }
  return sum;
}

// Two filters, and the requantization of their outputs for two columns: both filters' of the first
// column, then of the second.
struct Pair {
  const int8_t* weights[2];
  int32_t taps;
  int32_t biases[2];  // with the filter's part of the input's zero point
  int32x4_t multiplier;
  int32x4_t shift;    // negative: to the right
  uint32x4_t places;  // of the outputs, in bytes from the first
  int32_t offset;
  int32_t min;
  int32_t max;
};

inline int32x4_t Twice(int32_t first, int32_t second) {
  const int32_t values[4] = {first, second, first, second};
  return vldrwq_s32(values);
}

// Outputs of a pair for `tiles` times two columns. Requires fast requantization.
template <bool kRest>  // whether the taps are not a multiple of sixteen
__attribute__((noinline)) void RunPair(const Pair& pair, const int8_t* column, int tiles,
                                       int8_t* to, int32_t step) {
  const int32_t taps = pair.taps;
  const int32_t blocks = taps / mve::kBytes;
  const int32x4_t multiplier = pair.multiplier;
  const int32x4_t shift = pair.shift;
  const uint32x4_t places = pair.places;
  const int32x4_t min = vdupq_n_s32(pair.min);
  const int32x4_t max = vdupq_n_s32(pair.max);
  for (; tiles > 0; --tiles) {
    const int8_t* w0 = pair.weights[0];
    const int8_t* w1 = pair.weights[1];
    const int8_t* x0 = column;
    const int8_t* x1 = column + taps;
    int32_t sum0 = pair.biases[0];
    int32_t sum1 = pair.biases[1];
    int32_t sum2 = sum0;
    int32_t sum3 = sum1;
    for (int32_t i = blocks; i > 0; --i) {
      const int8x16_t a0 = vldrbq_s8(w0);
      const int8x16_t a1 = vldrbq_s8(w1);
      const int8x16_t b0 = vldrbq_s8(x0);
      const int8x16_t b1 = vldrbq_s8(x1);
      sum0 = vmladavaq_s8(sum0, a0, b0);
      sum1 = vmladavaq_s8(sum1, a1, b0);
      sum2 = vmladavaq_s8(sum2, a0, b1);
      sum3 = vmladavaq_s8(sum3, a1, b1);
      w0 += mve::kBytes;
      w1 += mve::kBytes;
      x0 += mve::kBytes;
      x1 += mve::kBytes;
    }
    if (kRest) {
      const mve_pred16_t rest = vctp8q(static_cast<uint32_t>(taps % mve::kBytes));
      const int8x16_t a0 = vldrbq_z_s8(w0, rest);
      const int8x16_t a1 = vldrbq_z_s8(w1, rest);
      const int8x16_t b0 = vldrbq_z_s8(x0, rest);
      const int8x16_t b1 = vldrbq_z_s8(x1, rest);
      sum0 = vmladavaq_s8(sum0, a0, b0);
      sum1 = vmladavaq_s8(sum1, a1, b0);
      sum2 = vmladavaq_s8(sum2, a0, b1);
      sum3 = vmladavaq_s8(sum3, a1, b1);
    }
    const int32_t sums[4] = {sum0, sum1, sum2, sum3};
    const int32x4_t scaled = vqrdmulhq_s32(vldrwq_s32(sums), multiplier);
    const int32x4_t moved = vaddq_n_s32(mve::DivideByPowerOfTwo(scaled, shift), pair.offset);
    vstrbq_scatter_offset_s32(to, places, vminq_s32(vmaxq_s32(moved, min), max));
    column += 2 * taps;
    to += 2 * step;
  }
}

}  // namespace

int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  return Sum(Product(input, filter, count), offset, SumOf(filter, count), 0);
}

void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums) {
  for (int i = 0; i < kDotRows; ++i, filter += count) sums[i] = Dot(input, filter, count, offset);
}

void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                       int16_t* columns) {
  columns[0] = static_cast<int16_t>(offset);
  int8_t* to = reinterpret_cast<int8_t*>(columns + 1) + column * count;
  for (; count >= mve::kBytes; count -= mve::kBytes, taps += mve::kBytes, to += mve::kBytes) {
    vstrbq_s8(to, vldrbq_s8(taps));
  }
  if (count > 0) {
    const mve_pred16_t rest = vctp8q(static_cast<uint32_t>(count));
    vstrbq_p_s8(to, vldrbq_z_s8(taps, rest), rest);
  }
}

void MultiplyIm2col(const Filters& filters, int16_t* columns, int count, int8_t* to, int32_t step) {
  const int32_t offset = columns[0];
  const int8_t* const first = reinterpret_cast<const int8_t*>(columns + 1);
  const int32_t taps = filters.taps;
  const OutputStage& stage = filters.outputs.stage();
  const int32_t* const multipliers = filters.outputs.multipliers();
  const int8_t* const shifts = filters.outputs.shifts();
  const uint32_t next = static_cast<uint32_t>(step);
  const uint32_t places[4] = {0, 1, next, next + 1};
  Pair pair;
  pair.taps = taps;
  pair.places = vldrwq_u32(places);
  pair.offset = stage.offset;
  pair.min = stage.min;
  pair.max = stage.max;
  const int8_t* weights = filters.weights;
  for (int channel = 0; channel < filters.count; channel += 2) {
    const int now = channel + 1 < filters.count ? 2 : 1;
    for (int i = 0; i < now; ++i) {
      pair.weights[i] = weights;
      const int32_t bias =
          filters.bias == nullptr ? 0 : LoadAs<int32_t>(filters.bias + channel + i);
      pair.biases[i] = Sum(0, offset, SumOf(weights, taps), bias);
      weights += taps;
    }
    int column = 0;
    if (now == 2 && stage.fast_requantize) {
      const int a = channel * stage.channel_step;
      const int b = a + stage.channel_step;
      pair.multiplier = Twice(multipliers[a], multipliers[b]);
      pair.shift = Twice(shifts[a], shifts[b]);
      const auto run = taps % mve::kBytes == 0 ? RunPair<false> : RunPair<true>;
      run(pair, first, count / 2, to + channel, step);
      if (count > 1) {
        // An odd column comes last, together with the one before, which is computed again.
        if (count % 2 != 0) {
          run(pair, first + (count - 2) * taps, 1, to + (count - 2) * step + channel, step);
        }
        column = count;
      }
    }
    for (; column < count; ++column) {
      for (int i = 0; i < now; ++i) {
        const int32_t products = Product(pair.weights[i], first + column * taps, taps);
        to[column * step + channel + i] =
            filters.outputs.At(channel + i, WrappingAdd(products, pair.biases[i]));
      }
    }
  }
}

}  // namespace kws
#endif  // KWS_HAVE_MVE
