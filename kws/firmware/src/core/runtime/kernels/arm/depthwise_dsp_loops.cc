// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/arm/depthwise_dsp_loops.h"

#include <cstddef>

#include "runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

void RunOddTaps(const OddTaps& work, int count, int8_t* to) {
  const Outputs::Factor factor = work.factor;
  const int16_t* band = work.band;
  const int32_t row_step = work.row_size - 2 * work.pairs;
  const int32_t step = work.step;
  // Four outputs: two neighbours share values, and the next two are a pair of values further on.
  for (; count > 0; count -= 4) {
    int32_t a = work.start;
    int32_t b = a;
    int32_t c = a;
    int32_t d = a;
    const int16_t* filter = work.filter;
    const int16_t* at = band;
    for (int row = work.rows; row > 0; --row) {
      uint32_t values = LoadAs<uint32_t>(at);
      for (int pair = work.pairs; pair > 0; --pair) {
        at += 2;
        const uint32_t next = LoadAs<uint32_t>(at);
        const uint32_t even = LoadAs<uint32_t>(filter);
        const uint32_t odd = LoadAs<uint32_t>(filter + 2);
        filter += 4;
        a = dsp::MulAddPairs(even, values, a);
        b = dsp::MulAddPairs(odd, values, b);
        c = dsp::MulAddPairs(even, next, c);
        d = dsp::MulAddPairs(odd, next, d);
        values = next;
      }
      at += row_step;
    }
    __asm__(KWS_SCALE("%0", "%4", "%5", "%6") KWS_SCALE("%1", "%4", "%5", "%6")
                KWS_SCALE("%2", "%4", "%5", "%6") KWS_SCALE("%3", "%4", "%5", "%6")
            : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
            : "r"(factor.multiplier), "r"(factor.bias), "r"(factor.right));
    *to = static_cast<int8_t>(a);
    if (count > 1) to[step] = static_cast<int8_t>(b);
    if (count > 2) to[2 * step] = static_cast<int8_t>(c);
    if (count > 3) to[3 * step] = static_cast<int8_t>(d);
    to += 4 * step;
    band += 4;
  }
}

void PackEightTaps(const int8_t* weights, int step, int rows, int row_size, int16_t* packed) {
  uint32_t left, pairs, even, odd;
  __asm__ volatile(
      "mov %[left], %[rows]\n"
      "1:\n"
      "movs %[pairs], #4\n"
      "2:\n"
      "ldr %[odd], [%[weights]]\n"
      "ldr r8, [%[weights], %[step]]\n"
      "add %[weights], %[weights], %[step], lsl #1\n"
      "sxtb16 %[even], %[odd]\n"
      "sxtb16 %[odd], %[odd], ror #8\n"
      "sxtb16 r6, r8\n"
      "sxtb16 r8, r8, ror #8\n"
      "pkhbt r4, %[even], r6, lsl #16\n"
      "pkhbt r5, %[odd], r8, lsl #16\n"
      "pkhtb r6, r6, %[even], asr #16\n"
      "pkhtb r8, r8, %[odd], asr #16\n"
      "stmia %[packed]!, {r4, r5, r6, r8}\n"
      "subs %[pairs], #1\n"
      "bne 2b\n"
      "str %[to_next_row], [%[packed]], #4\n"
      "subs %[left], #1\n"
      "bne 1b\n"
      : [weights] "+r"(weights), [packed] "+r"(packed), [left] "=&r"(left), [pairs] "=&r"(pairs),
        [even] "=&r"(even), [odd] "=&r"(odd)
      : [step] "r"(step), [rows] "r"(rows), [to_next_row] "r"(EightTaps::ToNextRow(row_size))
      : "r4", "r5", "r6", "r8", "cc", "memory");
}

// In assembly because the compiler runs out of registers: these loops take all there are. The
// output stage is that of Outputs::Factor.
void RunThreeByThree(const ThreeByThree& work, const int16_t* band, int row_size, int count,
                     int8_t* to) {
  const ThreeByThree* at = &work;
  const int16_t* top = band;
  const int16_t* middle = top + row_size;
  const int16_t* bottom = middle + row_size;
  uint32_t t0, t1, s0, s1;
  // Two outputs share the four values that they cover of each row.
#define KWS_ROW(row, first)          \
  "ldrd %[t0], %[t1], [%[" row       \
  "]], #4\n"                         \
  "ldmia %[at]!, {r4, r5, r6, r8}\n" \
  "smlad %[s0], r4, %[t0], " first   \
  "\n"                               \
  "smlad %[s1], r6, %[t0], %[s1]\n"  \
  "smlad %[s0], r5, %[t1], %[s0]\n"  \
  "smlad %[s1], r8, %[t1], %[s1]\n"
  __asm__ volatile(
      "1:\n"
      "ldr %[s1], [%[at]], #4\n"  //
      KWS_ROW("top", "%[s1]") KWS_ROW("middle", "%[s0]") KWS_ROW("bottom", "%[s0]")
      "ldmia %[at]!, {r4, r5, r6, r8}\n"
      "sub %[at], #68\n"  //
      KWS_SCALE("%[s0]", "r4", "r5", "r6") KWS_SCALE("%[s1]", "r4", "r5", "r6")
      "strb %[s0], [%[to]]\n"
      "subs %[count], #2\n"
      "it pl\n"
      "strbpl %[s1], [%[to], r8]\n"
      "add %[to], %[to], r8, lsl #1\n"
      "bgt 1b\n"
      : [at] "+r"(at), [top] "+r"(top), [middle] "+r"(middle), [bottom] "+r"(bottom),
        [to] "+r"(to), [count] "+r"(count), [t0] "=&r"(t0), [t1] "=&r"(t1), [s0] "=&r"(s0),
        [s1] "=&r"(s1)
      :
      : "r4", "r5", "r6", "r8", "cc", "memory");
#undef KWS_ROW
}

void RunEightTaps(EightTaps& work, int pairs, int8_t* to) {
  // Two outputs are two values apart: a pair of the second is the next pair of the first. Sums are
  // r6, r8, r9, r10 for the first output and s0 to s3 for the second; the band's row is r4, its
  // weights are at r5. That takes all registers: what else is needed is in memory.
#define KWS_PAIR(first, second) \
  "ldr " second                 \
  ", [r4], #4\n"                \
  "ldrd r2, r3, [r5], #8\n"     \
  "smlad r6, r2, " first        \
  ", r6\n"                      \
  "smlad %[s0], r2, " second    \
  ", %[s0]\n"                   \
  "smlad r8, r3, " first        \
  ", r8\n"                      \
  "smlad %[s1], r3, " second    \
  ", %[s1]\n"                   \
  "ldrd r2, r3, [r5], #8\n"     \
  "smlad r9, r2, " first        \
  ", r9\n"                      \
  "smlad %[s2], r2, " second    \
  ", %[s2]\n"                   \
  "smlad r10, r3, " first       \
  ", r10\n"                     \
  "smlad %[s3], r3, " second ", %[s3]\n"
  // One filter's two outputs: to[channel], at r3, and the next pixel's, at r4.
#define KWS_WRITE(a, b, channel)                                  \
  "ldmia r5!, {r0, r1, r2}\n" KWS_SCALE(a, "r0", "r1", "r2")      \
      KWS_SCALE(b, "r0", "r1", "r2") "strb " a ", [r3, #" channel \
                                     "]\n"                        \
                                     "strb " b ", [r4, #" channel "]\n"
  // The last row's step takes its address below zero: there is no memory above 2^31.
  int32_t* const last =
      reinterpret_cast<int32_t*>(work.filter + work.rows * EightTaps::kRowSize - 2);
  const int32_t to_next_row = *last;
  *last = INT32_MIN;
  const int16_t* const band_end = work.band + 4 * pairs;
  EightTaps* const address = &work;
  const int32_t step = work.step;
  uint32_t s0, s1, s2, s3;
  __asm__ volatile(
      "1:\n"
      "ldr r3, %[work]\n"
      "ldmia r3, {r4, r5, r6, r8, r9, r10}\n"
      "add r0, r4, #8\n"
      "str r0, [r3]\n"
      "mov %[s0], r6\n"
      "mov %[s1], r8\n"
      "mov %[s2], r9\n"
      "mov %[s3], r10\n"
      "2:\n"
      "ldr r0, [r4], #4\n"  //
      KWS_PAIR("r0", "r1") KWS_PAIR("r1", "r0") KWS_PAIR("r0", "r1") KWS_PAIR("r1", "r0")
      "ldr r0, [r5], #4\n"
      "adds r4, r0\n"
      "bpl 2b\n"
      "ldr r5, %[work]\n"
      "ldr r3, %[to]\n"
      "ldr r4, %[step]\n"
      "adds r5, %[factors]\n"
      "add r0, r3, r4, lsl #1\n"
      "str r0, %[to]\n"
      "add r4, r3\n"  //
      KWS_WRITE("r6", "%[s0]", "0") KWS_WRITE("r8", "%[s1]", "1") KWS_WRITE("r9", "%[s2]", "2")
      KWS_WRITE("r10", "%[s3]", "3")
      "ldr r0, [r5, #%c[band] - %c[end]]\n"
      "ldr r1, %[band_end]\n"
      "cmp r0, r1\n"
      "bne 1b\n"
      : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [to] "+m"(to)
      : [work] "m"(address), [step] "m"(step), [band_end] "m"(band_end),
        [factors] "I"(offsetof(EightTaps, factors)), [band] "I"(offsetof(EightTaps, band)),
        [end] "I"(offsetof(EightTaps, factors) + sizeof(EightTaps::factors))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory");
#undef KWS_WRITE
#undef KWS_PAIR
  *last = to_next_row;
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
