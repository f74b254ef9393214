#include "runtime/kernels/dot_loops.h"

#include "runtime/flatbuffer.h"
#include "runtime/kernels/dsp.h"
#include "runtime/kernels/fixed_point.h"

namespace kws {
namespace {

struct ColumnSums {
  int32_t sum[kColumns];
};

#if KWS_HAVE_DSP

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

// The bias, 0 where there is none.
int32_t Start(const int32_t* bias, int filter) {
  return bias == nullptr ? 0 : LoadAs<int32_t>(bias + filter);
}

}  // namespace

#if KWS_HAVE_DSP

int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
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

// Four filters share the loads of the input. In assembly because the compiler runs out of
// registers.
void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums) {
#define KWS_ROW(load, sum)                  \
  load "sxtb16 %[t], %[w]\n"                \
       "sxtb16 %[w], %[w], ror #8\n"        \
       "smlad " sum ", %[even], %[t], " sum \
       "\n"                                 \
       "smlad " sum ", %[odd], %[w], " sum "\n"
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  const uint32_t offsets = dsp::Pack(offset, offset);
  const int8_t* last = filter + 3 * count;
  int32_t left = count >> 2;
  if (left > 0) {
    uint32_t even, odd, w, t;
    __asm__ volatile(
        "1:\n"
        "ldr %[w], [%[input]], #4\n"
        "sxtab16 %[even], %[offsets], %[w]\n"
        "sxtab16 %[odd], %[offsets], %[w], ror #8\n"  //
        KWS_ROW("ldr %[w], [%[filter], %[count]]\n", "%[sum1]")
        KWS_ROW("ldr %[w], [%[filter], %[count], lsl #1]\n", "%[sum2]")
        KWS_ROW("ldr %[w], [%[filter]], #4\n", "%[sum0]")
        KWS_ROW("ldr %[w], [%[last]], #4\n", "%[sum3]")
        "subs %[left], #1\n"
        "bne 1b\n"
        : [input] "+r"(input), [filter] "+r"(filter), [last] "+r"(last), [left] "+r"(left),
          [sum0] "+r"(sum0), [sum1] "+r"(sum1), [sum2] "+r"(sum2), [sum3] "+r"(sum3),
          [even] "=&r"(even), [odd] "=&r"(odd), [w] "=&r"(w), [t] "=&r"(t)
        : [count] "r"(count), [offsets] "r"(offsets)
        : "cc", "memory");
  }
#undef KWS_ROW
  for (int32_t i = count & 3; i > 0; --i) {
    const int32_t x = *input++ + offset;
    sum1 += x * filter[count];
    sum2 += x * filter[2 * count];
    sum0 += x * *filter++;
    sum3 += x * *last++;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

// Four taps take two words: taps 0 and 2, taps 1 and 3.
void ExpandColumn(const int8_t* taps, int32_t count, int32_t offset, int column, int16_t* columns) {
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

#else

int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    sum = WrappingAdd(sum, (input[i] + offset) * filter[i]);
  }
  return sum;
}

void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums) {
  for (int i = 0; i < kDotRows; ++i) sums[i] = Dot(input, filter + i * count, count, offset);
}

void ExpandColumn(const int8_t* taps, int32_t count, int32_t offset, int column, int16_t* columns) {
  for (int32_t i = 0; i < count; ++i) {
    columns[(i >> 2) * 4 * kColumns + 4 * column + (i & 3)] =
        static_cast<int16_t>(taps[i] + offset);
  }
}

#endif  // KWS_HAVE_DSP

void MultiplyColumns(const Filters& filters, const int16_t* columns, int count, int8_t* to,
                     int32_t step) {
  const int8_t* weights = filters.weights;
  Outputs outputs = filters.outputs;
#if KWS_HAVE_DSP
  if (count == kColumns && outputs.usual()) {
    constexpr int32_t kZero = 0;
    const int32_t* bias = filters.bias == nullptr ? &kZero : filters.bias;
    const int bias_step = filters.bias == nullptr ? 0 : 1;
    const int32_t taps = filters.taps;
    for (int i = filters.count; i > 0; --i) {
      const ColumnSums sums = DotColumns(weights, columns, taps, LoadAs<int32_t>(bias));
      const Outputs::Factor factor = outputs.UsualFactor();
      to[0] = factor(sums.sum[0]);
      to[step] = factor(sums.sum[1]);
      to[2 * step] = factor(sums.sum[2]);
      to[3 * step] = factor(sums.sum[3]);
      ++to;
      outputs.Skip(1);
      bias += bias_step;
      weights += taps;
    }
    return;
  }
#endif
  for (int i = 0; i < filters.count; ++i) {
    const ColumnSums sums = DotColumns(weights, columns, filters.taps, Start(filters.bias, i));
    for (int k = 0; k < count; ++k) outputs.Write<1>(sums.sum + k, to + k * step, 0);
    ++to;
    outputs.Skip(1);
    weights += filters.taps;
  }
}

}  // namespace kws
