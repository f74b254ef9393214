// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP && !KWS_HAVE_MVE
namespace kws {

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
        "ldr %[t], [%[input]], #4\n"
        "ldr %[w], [%[filter], %[count]]\n"
        "sxtab16 %[even], %[offsets], %[t]\n"
        "sxtab16 %[odd], %[offsets], %[t], ror #8\n"  //
        KWS_ROW("", "%[sum1]")
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

}  // namespace kws
#endif
