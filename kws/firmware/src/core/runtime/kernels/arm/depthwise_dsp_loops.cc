// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/arm/depthwise_dsp_loops.h"

#include <cstddef>

#include "runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

void PackOddTaps(const int8_t* weights, int step, int pairs, int16_t* packed) {
  int32_t before = 0;
  for (; pairs > 0; --pairs) {
    const int32_t even = *weights;
    const int32_t odd = pairs > 1 ? weights[step] : 0;
    dsp::StoreTwo(packed, dsp::Pack(even, odd), dsp::Pack(before, even));
    packed += 4;
    weights += 2 * step;
    before = odd;
  }
}

// It stands for
//
//   for (int x = 0; x < count; x += 4, band += 4, to += 4 * step) {
//     if (x > count - 4) go back to count - 4;
//     int32_t sums[4] = {start, start, start, start};
//     for each row of the window, each pair of taps: values of two pairs, v0 and v1, and weights
//       sums[0] += even * v0, sums[1] += odd * v0, sums[2] += even * v1, sums[3] += odd * v1;
//     for (int i = 0; i < 4; ++i) to[i * step] = Scaled(sums[i], factor);
//   }
//
// and is in assembly for loads that follow each other and for two pairs a turn: the compiler parts
// the loads and copies values from turn to turn.
void RunOddTaps(OddTaps& work, int count, int8_t* to) {
#define KWS_PAIR(first, second)    \
  "ldr " second                    \
  ", [%[at]], #4\n"                \
  "ldr %[even], [%[filter]], #8\n" \
  "ldr %[odd], [%[filter], #-4]\n" \
  "smlad %[a], %[even], " first    \
  ", %[a]\n"                       \
  "smlad %[b], %[odd], " first     \
  ", %[b]\n"                       \
  "smlad %[c], %[even], " second   \
  ", %[c]\n"                       \
  "smlad %[d], %[odd], " second ", %[d]\n"
#define KWS_SCALE_SUM(sum) KWS_SCALE(sum, "%[v0]", "%[v1]", "%[even]")
  int fours = count >> 2;
  int back = -count & 3;
  uint32_t a, b, c, d, v0, v1, even, odd, at, filter, pairs, rows;
  __asm__ volatile(
      "1:\n"
      "ldr %[at], [%[work], %[band_]]\n"
      "ldr %[filter], [%[work], %[filter_]]\n"
      "ldr %[rows], [%[work], %[rows_]]\n"
      "ldr %[a], [%[work], %[start_]]\n"
      "add %[v0], %[at], #8\n"
      "str %[v0], [%[work], %[band_]]\n"
      "mov %[b], %[a]\n"
      "mov %[c], %[a]\n"
      "mov %[d], %[a]\n"
      "2:\n"
      "ldr %[pairs], [%[work], %[pairs_]]\n"
      "ldr %[v0], [%[at]], #4\n"
      "lsrs %[pairs], #1\n"
      "bcc 3f\n"  //
      KWS_PAIR("%[v0]", "%[v1]")
      "mov %[v0], %[v1]\n"
      "beq 4f\n"
      "3:\n"  //
      KWS_PAIR("%[v0]", "%[v1]") KWS_PAIR("%[v1]", "%[v0]")
      "subs %[pairs], #1\n"
      "bne 3b\n"
      "4:\n"
      "ldr %[odd], [%[work], %[next_row_]]\n"
      "subs %[rows], #1\n"
      "add %[at], %[odd]\n"
      "bne 2b\n"
      "ldr %[v0], [%[work], %[factor_]]\n"
      "ldr %[v1], [%[work], %[factor_] + 4]\n"
      "ldr %[even], [%[work], %[factor_] + 8]\n"
      "ldr %[odd], [%[work], %[step_]]\n"
      "ldr %[at], %[to]\n"
      "ldr %[pairs], %[fours]\n"  //
      KWS_SCALE_SUM("%[a]") KWS_SCALE_SUM("%[b]") KWS_SCALE_SUM("%[c]") KWS_SCALE_SUM("%[d]")
      "strb %[a], [%[at]]\n"
      "strb %[b], [%[at], %[odd]]\n"
      "strb %[c], [%[at], %[odd], lsl #1]\n"
      "add %[at], %[odd]\n"
      "strb %[d], [%[at], %[odd], lsl #1]\n"
      "add %[odd], %[odd], %[odd], lsl #1\n"
      "add %[at], %[odd]\n"
      "str %[at], %[to]\n"
      "subs %[pairs], #1\n"
      "str %[pairs], %[fours]\n"
      "bne 1b\n"
      "ldr %[odd], %[back]\n"
      "mvn %[v0], #0\n"
      "cmp %[odd], #1\n"
      "str %[v0], %[back]\n"
      "blt 5f\n"
      "ldr %[v0], [%[work], %[band_]]\n"
      "ldr %[v1], [%[work], %[step_]]\n"
      "sub %[v0], %[v0], %[odd], lsl #1\n"
      "mls %[at], %[v1], %[odd], %[at]\n"
      "str %[v0], [%[work], %[band_]]\n"
      "str %[at], %[to]\n"
      "movs %[pairs], #1\n"
      "str %[pairs], %[fours]\n"
      "b 1b\n"
      "5:\n"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [v0] "=&r"(v0), [v1] "=&r"(v1),
        [even] "=&r"(even), [odd] "=&r"(odd), [at] "=&r"(at), [filter] "=&r"(filter),
        [pairs] "=&r"(pairs), [rows] "=&r"(rows), [to] "+m"(to), [fours] "+m"(fours), [back] "+m"(back)
      : [work] "r"(&work), [band_] "I"(offsetof(OddTaps, band)),
        [filter_] "I"(offsetof(OddTaps, filter)), [pairs_] "I"(offsetof(OddTaps, pairs)),
        [next_row_] "I"(offsetof(OddTaps, next_row)), [rows_] "I"(offsetof(OddTaps, rows)),
        [start_] "I"(offsetof(OddTaps, start)), [factor_] "I"(offsetof(OddTaps, factor)),
        [step_] "I"(offsetof(OddTaps, step))
      : "cc", "memory");
#undef KWS_SCALE_SUM
#undef KWS_PAIR
}

void PackEightTaps(const int8_t* weights, int step, int rows, int row_size, int16_t* packed) {
  uint32_t left, even, odd;
  __asm__ volatile(
      "mov %[left], %[rows]\n"
      "1:\n"
      ".rept 4\n"
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
      "str r4, [%[packed]], #16\n"
      "str r5, [%[packed], #-12]\n"
      "str r6, [%[packed], #-8]\n"
      "str r8, [%[packed], #-4]\n"
      ".endr\n"
      "str %[to_next_row], [%[packed]], #4\n"
      "subs %[left], #1\n"
      "bne 1b\n"
      : [weights] "+r"(weights), [packed] "+r"(packed), [left] "=&r"(left), [even] "=&r"(even),
        [odd] "=&r"(odd)
      : [step] "r"(step), [rows] "r"(rows), [to_next_row] "r"(EightTaps::ToNextRow(row_size))
      : "r4", "r5", "r6", "r8", "cc", "memory");
}

// In assembly because the compiler runs out of registers: this loop takes all there are. The output
// stage is that of Outputs::Factor.
void RunEightTaps(EightTaps& work, int pairs, int8_t* to) {
  // Two outputs are two values apart: a pair of the second is the next pair of the first. Sums are
  // r6, r8, r9, r10 for the first output and s0 to s3 for the second; the band's row is r4, its
  // weights are at r5. That takes all registers: what else is needed is in memory.
#define KWS_PAIR(first, second) \
  "ldr " second                 \
  ", [r4], #4\n"                \
  "ldr r2, [r5], #16\n"         \
  "ldr r3, [r5, #-12]\n"        \
  "smlad r6, r2, " first        \
  ", r6\n"                      \
  "smlad %[s0], r2, " second    \
  ", %[s0]\n"                   \
  "smlad r8, r3, " first        \
  ", r8\n"                      \
  "smlad %[s1], r3, " second    \
  ", %[s1]\n"                   \
  "ldr r2, [r5, #-8]\n"         \
  "ldr r3, [r5, #-4]\n"         \
  "smlad r9, r2, " first        \
  ", r9\n"                      \
  "smlad %[s2], r2, " second    \
  ", %[s2]\n"                   \
  "smlad r10, r3, " first       \
  ", r10\n"                     \
  "smlad %[s3], r3, " second ", %[s3]\n"
#define KWS_ROW \
  "ldr r0, [r4], #4\n" KWS_PAIR("r0", "r1") KWS_PAIR("r1", "r0") KWS_PAIR("r0", "r1")     \
      KWS_PAIR("r1", "r0")                                                                \
  "ldr r0, [r5], #4\n"                                                                    \
  "adds r4, r0\n"
  // One filter's two outputs: to[channel], at r3, and the next pixel's, at r4.
#define KWS_WRITE(a, b, channel)                                  \
  "ldmia r5!, {r0, r1, r2}\n" KWS_SCALE(a, "r0", "r1", "r2")      \
      KWS_SCALE(b, "r0", "r1", "r2") "strb " a ", [r3, #" channel \
                                     "]\n"                        \
                                     "strb " b ", [r4, #" channel "]\n"
  // The last row's step takes its address below zero: there is no memory above 2^31.
  int32_t* const last = reinterpret_cast<int32_t*>(work.filter + work.rows * kEightTapsRow - 2);
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
      "2:\n"  //
      KWS_ROW
      "bmi 3f\n"  //
      KWS_ROW
      "bpl 2b\n"
      "3:\n"
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
#undef KWS_ROW
#undef KWS_PAIR
  *last = to_next_row;
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
