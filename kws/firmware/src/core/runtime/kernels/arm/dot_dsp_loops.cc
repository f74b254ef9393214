// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/arm/dsp.h"
#include "runtime/kernels/shared/dot_loops.h"
#include "runtime/kernels/shared/fixed_point.h"
#include "runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

// The sum of filter * column.
int32_t DotColumn(const Filters& filter, const int16_t* columns, int column) {
  int32_t sum = filter.bias == nullptr ? 0 : LoadAs<int32_t>(filter.bias);
  for (int32_t i = 0; i < filter.taps; ++i) {
    constexpr int kPlace[] = {0, 2, 1, 3};  // see ExpandColumn
    const int32_t tap = columns[(i >> 2) * 4 * kColumns + 4 * column + kPlace[i & 3]];
    sum = WrappingAdd(sum, filter.weights[i] * tap);
  }
  return sum;
}

// The usual outputs of all filters at all columns. In assembly for multiple loads and for the
// registers: what the inner loop does not need is in memory, where one instruction gets it.
void MultiplyUsual(const Filters& filters, const int16_t* columns, int8_t* to, int32_t step) {
  const Outputs::Arrays factors = filters.outputs.arrays();
#define KWS_TWO_COLUMNS(a, b)        \
  "ldmia %[at]!, {r4, r5, r6, r8}\n" \
  "smlad " a ", %[even], r4, " a     \
  "\n"                               \
  "smlad " a ", %[odd], r5, " a      \
  "\n"                               \
  "smlad " b ", %[even], r6, " b     \
  "\n"                               \
  "smlad " b ", %[odd], r8, " b "\n"
#define KWS_ALL_COLUMNS                                               \
  "sxtb16 %[even], %[odd]\n"                                          \
  "sxtb16 %[odd], %[odd], ror #8\n" KWS_TWO_COLUMNS("%[s0]", "%[s1]") \
      KWS_TWO_COLUMNS("%[s2]", "%[s3]") KWS_TWO_COLUMNS("%[s4]", "%[s5]")
#define KWS_FOUR_TAPS "ldr %[odd], [%[weights]], #4\n" KWS_ALL_COLUMNS
#define KWS_SCALE_SUM(sum) KWS_SCALE(sum, "r4", "r5", "r6")
  static constexpr int32_t kZero = 0;
  struct {
    const int32_t* bias;
    const int32_t* multiplier;
    const int8_t* shift;
    const int8_t* end;  // of the filter's eights of taps
    int8_t* to;
    int32_t left;
    int32_t bias_step;  // in bytes
    int32_t factor_step;
    int32_t rounding;
    const int16_t* columns;
    int32_t taps;
    int32_t step;
  } volatile work = {filters.bias == nullptr ? &kZero : filters.bias,
                     factors.multipliers,
                     factors.shifts,
                     filters.weights + (filters.taps & ~7),
                     to,
                     filters.count,
                     filters.bias == nullptr ? 0 : 4,
                     factors.step,
                     factors.rounding,
                     columns,
                     filters.taps,
                     step};
  const int8_t* weights = filters.weights;
  uint32_t at, even, odd, s0, s1, s2, s3, s4, s5;
  __asm__ volatile(
      "1:\n"
      "ldr r4, %[bias]\n"
      "ldr r5, %[bias_step]\n"
      "ldr %[s0], [r4]\n"
      "add r4, r5\n"
      "str r4, %[bias]\n"
      "mov %[s1], %[s0]\n"
      "mov %[s2], %[s0]\n"
      "mov %[s3], %[s0]\n"
      "mov %[s4], %[s0]\n"
      "mov %[s5], %[s0]\n"
      "ldr %[at], %[columns]\n"
      "ldr %[even], %[end]\n"
      "cmp %[weights], %[even]\n"
      "beq 3f\n"
      "2:\n"  //
      KWS_FOUR_TAPS KWS_FOUR_TAPS
      "ldr %[even], %[end]\n"
      "cmp %[weights], %[even]\n"
      "bne 2b\n"
      "3:\n"
      "ldr r4, %[taps]\n"
      "add %[even], r4\n"
      "str %[even], %[end]\n"
      "ands r4, #7\n"
      "beq 6f\n"
      "cmp r4, #4\n"
      "blo 4f\n"  //
      KWS_FOUR_TAPS
      "ldr r4, %[taps]\n"
      "ands r4, #3\n"
      "beq 6f\n"
      "4:\n"  // one to three taps more; nothing behind them is read
      "cmp r4, #2\n"
      "ite lo\n"
      "ldrblo %[odd], [%[weights]], #1\n"
      "ldrhhs %[odd], [%[weights]], #2\n"
      "bls 5f\n"
      "ldrb r4, [%[weights]], #1\n"
      "orr %[odd], %[odd], r4, lsl #16\n"
      "5:\n"  //
      KWS_ALL_COLUMNS
      "6:\n"
      "ldr r8, %[factor_step]\n"
      "ldr %[even], %[multiplier]\n"
      "ldr %[odd], %[shift]\n"
      "ldr r5, %[rounding]\n"
      "ldr r4, [%[even]]\n"
      "ldrsb r6, [%[odd]]\n"
      "add %[even], %[even], r8, lsl #2\n"
      "add %[odd], r8\n"
      "str %[even], %[multiplier]\n"
      "str %[odd], %[shift]\n"
      "mvn r8, r6\n"  // right - 1
      "rsb r6, r6, #0\n"
      "lsl r5, r8\n"  //
      KWS_SCALE_SUM("%[s0]") KWS_SCALE_SUM("%[s1]") KWS_SCALE_SUM("%[s2]")
      KWS_SCALE_SUM("%[s3]") KWS_SCALE_SUM("%[s4]") KWS_SCALE_SUM("%[s5]")
      "ldr r4, %[to]\n"
      "ldr r5, %[step]\n"
      "add r6, r4, #1\n"
      "str r6, %[to]\n"
      "strb %[s0], [r4]\n"
      "strb %[s1], [r4, r5]\n"
      "add r4, r4, r5, lsl #1\n"
      "strb %[s2], [r4]\n"
      "strb %[s3], [r4, r5]\n"
      "add r4, r4, r5, lsl #1\n"
      "strb %[s4], [r4]\n"
      "strb %[s5], [r4, r5]\n"
      "ldr r4, %[left]\n"
      "subs r4, #1\n"
      "str r4, %[left]\n"
      "bne 1b\n"
      : [weights] "+r"(weights), [at] "=&r"(at), [even] "=&r"(even), [odd] "=&r"(odd),
        [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4),
        [s5] "=&r"(s5), [bias] "+m"(work.bias), [multiplier] "+m"(work.multiplier),
        [shift] "+m"(work.shift), [end] "+m"(work.end), [to] "+m"(work.to), [left] "+m"(work.left)
      : [bias_step] "m"(work.bias_step), [factor_step] "m"(work.factor_step),
        [rounding] "m"(work.rounding), [columns] "m"(work.columns), [taps] "m"(work.taps),
        [step] "m"(work.step)
      : "r4", "r5", "r6", "r8", "cc", "memory");
#undef KWS_SCALE_SUM
#undef KWS_FOUR_TAPS
#undef KWS_ALL_COLUMNS
#undef KWS_TWO_COLUMNS
}

}  // namespace

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

void MultiplyColumns(const Filters& filters, const int16_t* columns, int count, int8_t* to,
                     int32_t step) {
  Filters one = filters;
  one.count = 1;
  Outputs& outputs = one.outputs;
  const bool usual = outputs.usual();
  if (usual && count == kColumns) {
    MultiplyUsual(filters, columns, to, step);
    return;
  }
  for (int i = filters.count; i > 0; --i) {
    if (usual) {
      // The other columns hold anything, and there is no place for their outputs.
      int8_t all[kColumns];
      MultiplyUsual(one, columns, all, 1);
      for (int k = 0; k < count; ++k) to[k * step] = all[k];
    } else {
      for (int k = 0; k < count; ++k) {
        to[k * step] = outputs.At(0, DotColumn(one, columns, k));
      }
    }
    ++to;
    outputs.Skip(1);
    one.weights += one.taps;
    if (one.bias != nullptr) ++one.bias;
  }
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
