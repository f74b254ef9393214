// The inner loops of everything that multiplies int8 by int8: one definition in portable C++, one
// for the Cortex-M4's DSP instructions (two products an instruction), same bits.
//
// Sums are 32 bits and wrap around. `offset` is minus the input's zero point, -127 to 128.
#ifndef KWS_RUNTIME_KERNELS_DOT_H_
#define KWS_RUNTIME_KERNELS_DOT_H_

#include <cstdint>

#include "runtime/flatbuffer.h"
#include "runtime/kernels/dsp.h"
#include "runtime/kernels/fixed_point.h"

namespace kws {

// Convolutions work on this many output pixels at a time. What a pixel's window covers is a column:
// its taps, less the zero point, as int16; the columns are interleaved by groups of four taps.
constexpr int kColumns = 4;

struct ColumnSums {
  int32_t sum[kColumns];
};

// Fully connected layers take this many filters at a time.
constexpr int kDotRows = 2;

struct RowSums {
  int32_t sum[kDotRows];
};

// int16 values that kColumns columns of `taps` taps take.
constexpr uint32_t ColumnsSize(uint32_t taps) { return (taps + 3) / 4 * 4 * kColumns; }

#if KWS_HAVE_DSP

// Sum over i of (input[i] + offset) * filter[i].
inline int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  const uint32_t offsets = dsp::Pack(offset, offset);
  int32_t sum = 0;
  for (int32_t i = count >> 2; i > 0; --i) {
    const uint32_t x = LoadAs<uint32_t>(input);
    const uint32_t w = LoadAs<uint32_t>(filter);
    sum = dsp::MulAddPairs(dsp::AddEven(offsets, x), dsp::Even(w), sum);
    sum = dsp::MulAddPairs(dsp::AddOdd(offsets, x), dsp::Odd(w), sum);
    input += 4;
    filter += 4;
  }
  for (int32_t i = count & 3; i > 0; --i) sum += (*input++ + offset) * *filter++;
  return sum;
}

// Two filters at once share the loads of the input.
inline RowSums DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  const uint32_t offsets = dsp::Pack(offset, offset);
  const int8_t* next = filter + count;
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  for (int32_t i = count >> 2; i > 0; --i) {
    const uint32_t x = LoadAs<uint32_t>(input);
    const uint32_t w0 = LoadAs<uint32_t>(filter);
    const uint32_t w1 = LoadAs<uint32_t>(next);
    input += 4;
    filter += 4;
    next += 4;
    const uint32_t even = dsp::AddEven(offsets, x);
    const uint32_t odd = dsp::AddOdd(offsets, x);
    sum0 = dsp::MulAddPairs(even, dsp::Even(w0), sum0);
    sum1 = dsp::MulAddPairs(even, dsp::Even(w1), sum1);
    sum0 = dsp::MulAddPairs(odd, dsp::Odd(w0), sum0);
    sum1 = dsp::MulAddPairs(odd, dsp::Odd(w1), sum1);
  }
  for (int32_t i = count & 3; i > 0; --i) {
    const int32_t x = *input++ + offset;
    sum0 += x * *filter++;
    sum1 += x * *next++;
  }
  return RowSums{{sum0, sum1}};
}

// Writes column `column`. Four taps take two words: taps 0 and 2, taps 1 and 3.
inline void ExpandColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                         int16_t* columns) {
  const uint32_t offsets = dsp::Pack(offset, offset);
  uint32_t* to = reinterpret_cast<uint32_t*>(columns) + 2 * column;
  for (int32_t i = count >> 2; i > 0; --i) {
    const uint32_t x = LoadAs<uint32_t>(taps);
    taps += 4;
    to[0] = dsp::AddEven(offsets, x);
    to[1] = dsp::AddOdd(offsets, x);
    to += 2 * kColumns;
  }
  const int32_t rest = count & 3;
  if (rest == 0) return;
  const uint32_t x = dsp::LoadTail(taps, rest);
  to[0] = dsp::AddEven(offsets, x);
  to[1] = dsp::AddOdd(offsets, x);
}

// Sums of filter * column for all columns, added to `start`.
__attribute__((always_inline)) inline ColumnSums DotColumns(const int8_t* filter,
                                                            const int16_t* columns, int32_t count,
                                                            int32_t start) {
  int32_t sum0 = start;
  int32_t sum1 = start;
  int32_t sum2 = start;
  int32_t sum3 = start;
  // The compiler does not make multiple loads out of eight single ones.
#define KWS_FOUR_TAPS                     \
  "ldr %[odd], [%[filter]], #4\n"         \
  "sxtb16 %[even], %[odd]\n"              \
  "sxtb16 %[odd], %[odd], ror #8\n"       \
  "ldmia %[from]!, {r4, r5, r6, r8}\n"    \
  "smlad %[sum0], %[even], r4, %[sum0]\n" \
  "smlad %[sum0], %[odd], r5, %[sum0]\n"  \
  "smlad %[sum1], %[even], r6, %[sum1]\n" \
  "smlad %[sum1], %[odd], r8, %[sum1]\n"  \
  "ldmia %[from]!, {r4, r5, r6, r8}\n"    \
  "smlad %[sum2], %[even], r4, %[sum2]\n" \
  "smlad %[sum2], %[odd], r5, %[sum2]\n"  \
  "smlad %[sum3], %[even], r6, %[sum3]\n" \
  "smlad %[sum3], %[odd], r8, %[sum3]\n"
#define KWS_OPERANDS                                                                 \
  [filter] "+r"(filter), [from] "+r"(columns), [sum0] "+r"(sum0), [sum1] "+r"(sum1), \
      [sum2] "+r"(sum2), [sum3] "+r"(sum3), [even] "=&r"(even), [odd] "=&r"(odd)
  uint32_t even;
  uint32_t odd;
  for (int32_t i = count >> 3; i > 0; --i) {
    __asm__(KWS_FOUR_TAPS KWS_FOUR_TAPS:KWS_OPERANDS : : "r4", "r5", "r6", "r8", "memory");
  }
  if ((count & 4) != 0) {
    __asm__(KWS_FOUR_TAPS:KWS_OPERANDS : : "r4", "r5", "r6", "r8", "memory");
  }
#undef KWS_OPERANDS
#undef KWS_FOUR_TAPS
  const int32_t rest = count & 3;
  if (rest != 0) {
    const uint32_t* from = reinterpret_cast<const uint32_t*>(columns);
    const uint32_t w = dsp::LoadTail(filter, rest);
    even = dsp::Even(w);
    odd = dsp::Odd(w);
    sum0 = dsp::MulAddPairs(odd, from[1], dsp::MulAddPairs(even, from[0], sum0));
    sum1 = dsp::MulAddPairs(odd, from[3], dsp::MulAddPairs(even, from[2], sum1));
    sum2 = dsp::MulAddPairs(odd, from[5], dsp::MulAddPairs(even, from[4], sum2));
    sum3 = dsp::MulAddPairs(odd, from[7], dsp::MulAddPairs(even, from[6], sum3));
  }
  return ColumnSums{{sum0, sum1, sum2, sum3}};
}

#else

// Sum over i of (input[i] + offset) * filter[i].
inline int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    sum = WrappingAdd(sum, (input[i] + offset) * filter[i]);
  }
  return sum;
}

// The same for kDotRows filters that follow each other.
inline RowSums DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  RowSums sums;
  for (int i = 0; i < kDotRows; ++i) sums.sum[i] = Dot(input, filter + i * count, count, offset);
  return sums;
}

// Writes column `column`.
inline void ExpandColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                         int16_t* columns) {
  for (int32_t i = 0; i < count; ++i) {
    columns[(i >> 2) * 4 * kColumns + 4 * column + (i & 3)] =
        static_cast<int16_t>(taps[i] + offset);
  }
}

// Sums of filter * column for all columns, added to `start`.
inline ColumnSums DotColumns(const int8_t* filter, const int16_t* columns, int32_t count,
                             int32_t start) {
  ColumnSums sums{{start, start, start, start}};
  for (int32_t i = 0; i < count; ++i) {
    const int16_t* tap = columns + (i >> 2) * 4 * kColumns + (i & 3);
    for (int column = 0; column < kColumns; ++column) {
      sums.sum[column] = WrappingAdd(sums.sum[column], filter[i] * tap[4 * column]);
    }
  }
  return sums;
}

#endif  // KWS_HAVE_DSP

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_DOT_H_
