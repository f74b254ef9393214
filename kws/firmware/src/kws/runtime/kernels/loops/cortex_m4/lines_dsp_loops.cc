// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

void WidenOne(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
              int32_t /*lane_size*/) {
  if (step == 1) {
    const uint32_t offsets = dsp::Pack(offset, offset);
    for (; count >= 4; count -= 4) {
      const uint32_t bytes = LoadAs<uint32_t>(from);
      const uint32_t even = dsp::AddEven(offsets, bytes);
      const uint32_t odd = dsp::AddOdd(offsets, bytes);
      dsp::StoreTwo(to, dsp::PackLow(even, odd), dsp::PackHigh(even, odd));
      from += 4;
      to += 4;
    }
  }
#pragma GCC unroll 4
  for (int i = count; i > 0; --i) {
    *to++ = static_cast<int16_t>(*from + offset);
    from += step;
  }
}

// In assembly to save the compiler's overhead per row, which is large for short rows. Pairs are
// stored at even indices only: an unaligned store takes a cycle more.
void WidenFourRows(const int8_t* from, const FourRows& rows, int32_t offset, int16_t* to) {
#define KWS_ONE_PLACE                        \
  "ldr %[x], [%[from]]\n"                    \
  "add %[from], %[step]\n"                   \
  "sxtab16 %[a], %[offsets], %[x]\n"         \
  "sxtab16 %[x], %[offsets], %[x], ror #8\n" \
  "strh %[x], [%[to], %[lane], lsl #1]\n"    \
  "lsr %[b], %[a], #16\n"                    \
  "lsr %[x], %[x], #16\n"                    \
  "strh %[b], [%[to], %[lane], lsl #2]\n"    \
  "strh %[x], [%[to], %[lane3]]\n"           \
  "strh %[a], [%[to]], #2\n"
  const bool odd = (reinterpret_cast<uintptr_t>(to) & 2) != 0;
  const int pairs_a_row = (rows.count - odd) >> 1;
  const int last = (rows.count - odd) & 1;
  const int32_t next_row = rows.row_step - rows.count * rows.step;
  const int32_t next_to = (4 * rows.lane_size - rows.count) * static_cast<int32_t>(sizeof(int16_t));
  int32_t left = rows.rows;
  uint32_t x, y, a, b, pairs;
  __asm__ volatile(
      "1:\n"
      "ldr %[pairs], %[pairs_a_row]\n"
      "lsls %[x], %[to], #30\n"
      "bpl 2f\n"  //
      KWS_ONE_PLACE
      "2:\n"
      "cmp %[pairs], #0\n"
      "beq 4f\n"
      "3:\n"
      "ldr %[x], [%[from]]\n"
      "ldr %[y], [%[from], %[step]]\n"
      "add %[from], %[from], %[step], lsl #1\n"
      "sxtab16 %[a], %[offsets], %[x]\n"
      "sxtab16 %[b], %[offsets], %[y]\n"
      "sxtab16 %[x], %[offsets], %[x], ror #8\n"
      "sxtab16 %[y], %[offsets], %[y], ror #8\n"
      "subs %[pairs], #1\n"
      "pkhbt r6, %[x], %[y], lsl #16\n"
      "str r6, [%[to], %[lane], lsl #1]\n"
      "pkhtb r6, %[b], %[a], asr #16\n"
      "str r6, [%[to], %[lane], lsl #2]\n"
      "pkhtb r6, %[y], %[x], asr #16\n"
      "str r6, [%[to], %[lane3]]\n"
      "pkhbt r6, %[a], %[b], lsl #16\n"
      "str r6, [%[to]], #4\n"
      "bne 3b\n"
      "4:\n"
      "ldr %[x], %[last]\n"
      "cmp %[x], #0\n"
      "beq 5f\n"  //
      KWS_ONE_PLACE
      "5:\n"
      "ldr %[x], %[next_row]\n"
      "ldr %[y], %[next_to]\n"
      "ldr %[a], %[left]\n"
      "add %[from], %[x]\n"
      "add %[to], %[y]\n"
      "subs %[a], #1\n"
      "str %[a], %[left]\n"
      "bne 1b\n"
      : [from] "+r"(from), [to] "+r"(to), [x] "=&r"(x), [y] "=&r"(y), [a] "=&r"(a), [b] "=&r"(b),
        [pairs] "=&r"(pairs), [left] "+m"(left)
      : [step] "r"(rows.step), [lane] "r"(rows.lane_size), [lane3] "r"(6 * rows.lane_size),
        [offsets] "r"(dsp::Pack(offset, offset)), [pairs_a_row] "m"(pairs_a_row), [last] "m"(last),
        [next_row] "m"(next_row), [next_to] "m"(next_to)
      : "r6", "cc", "memory");
#undef KWS_ONE_PLACE
}

void WidenFour(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
               int32_t lane_size) {
  if (count > 0) WidenFourRows(from, FourRows{1, 0, count, step, lane_size}, offset, to);
}

int32_t SumOfPairs(const int16_t* buffer, int row_size, const int16_t* filter, int pairs, int rows,
                   int32_t sum) {
  for (; rows > 0; --rows) {
    const int16_t* at = buffer;
    for (int i = pairs; i > 0; --i) {
      sum = dsp::MulAddPairs(LoadAs<uint32_t>(filter), LoadAs<uint32_t>(at), sum);
      filter += 2;
      at += 2;
    }
    buffer += row_size;
  }
  return sum;
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
