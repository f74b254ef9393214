// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/depthwise_taps.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

void PackRowTaps(const int8_t* weights, int step, int taps, int pairs, int16_t* packed) {
  int32_t before = 0;
  const int whole = taps >> 1;
  for (int i = whole; i > 0; --i) {
    const int32_t even = *weights;
    const int32_t odd = weights[step];
    dsp::StoreTwo(packed, dsp::Pack(even, odd), dsp::Pack(before, even));
    packed += 4;
    weights += 2 * step;
    before = odd;
  }
  int32_t last = (taps & 1) != 0 ? *weights : 0;
  for (int i = pairs - whole; i > 0; --i) {
    dsp::StoreTwo(packed, dsp::Pack(last, 0), dsp::Pack(before, last));
    packed += 4;
    before = 0;
    last = 0;
  }
}

void PackFourRowTaps(const int8_t* weights, int step, int taps, int pairs, int filter_size,
                     int16_t* packed) {
  uint32_t before_even = 0;
  uint32_t before_odd = 0;
  for (; pairs > 0; --pairs) {
    const uint32_t a = taps > 0 ? LoadAs<uint32_t>(weights) : 0;
    const uint32_t b = taps > 1 ? LoadAs<uint32_t>(weights + step) : 0;
    const uint32_t even = dsp::Even(a);
    const uint32_t odd = dsp::Odd(a);
    const uint32_t next_even = dsp::Even(b);
    const uint32_t next_odd = dsp::Odd(b);
    int16_t* to = packed;
    dsp::StoreTwo(to, dsp::PackLow(even, next_even), dsp::PackLow(before_even, even));
    to += filter_size;
    dsp::StoreTwo(to, dsp::PackLow(odd, next_odd), dsp::PackLow(before_odd, odd));
    to += filter_size;
    dsp::StoreTwo(to, dsp::PackHigh(even, next_even), dsp::PackHigh(before_even, even));
    to += filter_size;
    dsp::StoreTwo(to, dsp::PackHigh(odd, next_odd), dsp::PackHigh(before_odd, odd));
    before_even = next_even;
    before_odd = next_odd;
    packed += 4;
    weights += 2 * step;
    taps -= 2;
  }
}

// Equivalent to
//
//   for (int x = 0; x < count; x += 6, buffer += 6, to += 6 * step) {
//     if (x > count - 6) go back to count - 6;
//     int32_t sums[6] = {start, start, start, start, start, start};
//     for each row of the window, each pair of taps: values of three pairs, v0 to v2, and weights
//       sums[0] += even * v0, sums[1] += odd * v0, sums[2] += even * v1, and so on;
//     for (int i = 0; i < 6; ++i) to[i * step] = Scaled(sums[i], factor);
//   }
//
// In assembly, because it needs all registers and consecutive loads. `row`: the products of a row.
// The next pair's v0 and v1 are this pair's v1 and v2.
// clang-format off
#define KWS_PAIR(v0, v1, v2) \
  "ldr " v2 ", [%[at]], #4\n" \
  "ldr %[even], [%[filter]], #8\n" \
  "ldr %[odd], [%[filter], #-4]\n" \
  "smlad %[a], %[even], " v0 ", %[a]\n" \
  "smlad %[b], %[odd], " v0 ", %[b]\n" \
  "smlad %[c], %[even], " v1 ", %[c]\n" \
  "smlad %[d], %[odd], " v1 ", %[d]\n" \
  "smlad %[e], %[even], " v2 ", %[e]\n" \
  "smlad %[f], %[odd], " v2 ", %[f]\n"
// clang-format on
#define KWS_FIRST KWS_PAIR("%[v0]", "%[v1]", "%[v2]")
#define KWS_SECOND KWS_PAIR("%[v1]", "%[v2]", "%[v0]")
#define KWS_THIRD KWS_PAIR("%[v2]", "%[v0]", "%[v1]")
#define KWS_SCALE_SUM(sum) KWS_SCALE(sum, "%[v0]", "%[v1]", "%[v2]")
#define KWS_ROWS(row, elsewhere) \
  __asm__ volatile(                                                                           \
      "1:\n"                                                                                  \
      "ldr %[a], %[start]\n"                                                                  \
      "ldr %[filter], %[first]\n"                                                             \
      "mov %[b], %[a]\n"                                                                      \
      "mov %[c], %[a]\n"                                                                      \
      "mov %[d], %[a]\n"                                                                      \
      "mov %[e], %[a]\n"                                                                      \
      "mov %[f], %[a]\n"                                                                      \
      "2:\n" row                                                                              \
      "ldr %[even], %[end]\n"                                                                 \
      "ldr %[odd], %[next_row]\n"                                                             \
      "cmp %[filter], %[even]\n"                                                              \
      "add %[at], %[odd]\n"                                                                   \
      "bne 2b\n"                                                                              \
      "ldr %[v0], %[multiplier]\n"                                                            \
      "ldr %[v1], %[bias]\n"                                                                  \
      "ldr %[v2], %[right_step]\n"                                                            \
      "ldr %[even], %[to]\n"                                                                  \
      "ldr %[filter], %[next]\n"                                                              \
      "ldr %[pairs], %[sixes]\n"                                                              \
      "lsr %[odd], %[v2], #8\n" KWS_SCALE_SUM("%[a]") KWS_SCALE_SUM("%[b]")                   \
          KWS_SCALE_SUM("%[c]") KWS_SCALE_SUM("%[d]") KWS_SCALE_SUM("%[e]")                   \
              KWS_SCALE_SUM("%[f]")                                                           \
      "strb %[a], [%[even]]\n"                                                                \
      "strb %[b], [%[even], %[odd]]\n"                                                        \
      "strb %[c], [%[even], %[odd], lsl #1]\n"                                                \
      "add %[even], %[odd]\n"                                                                 \
      "strb %[d], [%[even], %[odd], lsl #1]\n"                                                \
      "add %[even], %[even], %[odd], lsl #1\n"                                                \
      "strb %[e], [%[even], %[odd]]\n"                                                        \
      "strb %[f], [%[even], %[odd], lsl #1]\n"                                                \
      "add %[even], %[odd]\n"                                                                 \
      "add %[even], %[even], %[odd], lsl #1\n"                                                \
      "add %[at], %[filter]\n"                                                                \
      "str %[even], %[to]\n"                                                                  \
      "subs %[pairs], #1\n"                                                                   \
      "str %[pairs], %[sixes]\n"                                                              \
      "bgt 1b\n"                                                                              \
      "ldr %[pairs], %[back]\n"                                                               \
      "movs %[v0], #0\n"                                                                      \
      "str %[v0], %[back]\n"                                                                  \
      "cmp %[pairs], #0\n"                                                                    \
      "beq 9f\n"                                                                              \
      "sub %[at], %[at], %[pairs], lsl #1\n"                                                  \
      "mls %[even], %[odd], %[pairs], %[even]\n"                                              \
      "str %[even], %[to]\n"                                                                  \
      "b 1b\n" elsewhere                                                                      \
      "9:\n"                                                                                  \
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e), [f] "=&r"(f),   \
        [v0] "=&r"(v0), [v1] "=&r"(v1), [v2] "=&r"(v2), [even] "=&r"(even), [odd] "=&r"(odd), \
        [at] "+r"(at), [filter] "=&r"(filter), [pairs] "=&r"(pairs), [to] "+m"(to),           \
        [sixes] "+m"(sixes), [back] "+m"(back)                                                \
      : [first] "m"(first), [end] "m"(end), [next_row] "m"(next_row), [next] "m"(next),       \
        [turns] "m"(turns), [start] "m"(start), [multiplier] "m"(multiplier),                 \
        [bias] "m"(bias), [right_step] "m"(right_step)                                        \
      : "cc", "memory")

void RunRowTaps(const RowTaps& work, const int16_t* buffer, const int16_t* filter, int rows,
                int8_t* to) {
  // In memory, because the loop has no free registers.
  const int16_t* const first = filter;
  const int16_t* const end = filter + rows * 4 * work.pairs;
  const int32_t next_row = work.next_row;
  // Bytes from the end of the last row to the next outputs.
  const int32_t next = (kRowOutputs - rows * work.row_size) * static_cast<int32_t>(sizeof(int16_t));
  const int32_t turns = work.turns;
  const int32_t start = work.start;
  const int32_t multiplier = work.factor.multiplier;
  const int32_t bias = work.factor.bias;
  // Packed, because the asm statement cannot have more operands; a shift reads only the lowest
  // byte.
  const int32_t right_step = (work.step << 8) | work.factor.right;
  int32_t sixes = work.sixes;
  int32_t back = work.back;
  const int16_t* at = buffer;
  uint32_t a, b, c, d, e, f, v0, v1, v2, even, odd, pairs;
  // An unrolled loop for eight or nine taps.
  if (work.pairs == 5) {
    KWS_ROWS(
        "ldr %[v0], [%[at]], #4\n"
        "ldr %[v1], [%[at]], #4\n" KWS_FIRST KWS_SECOND KWS_THIRD KWS_FIRST KWS_SECOND,
        "");
    return;
  }
  KWS_ROWS(
      "ldr %[pairs], %[turns]\n"
      "lsls %[even], %[pairs], #31\n"
      "bmi 7f\n"
      "bcs 8f\n"
      "ldr %[v0], [%[at]], #4\n"
      "ldr %[v1], [%[at]], #4\n"
      "3:\n" KWS_FIRST "4:\n" KWS_SECOND "5:\n" KWS_THIRD
      "subs %[pairs], #4\n"
      "bpl 3b\n",
      "7:\n"
      "ldr %[v2], [%[at]], #4\n"
      "ldr %[v0], [%[at]], #4\n"
      "b 5b\n"
      "8:\n"
      "ldr %[v1], [%[at]], #4\n"
      "ldr %[v2], [%[at]], #4\n"
      "b 4b\n");
}
#undef KWS_ROWS
#undef KWS_SCALE_SUM
#undef KWS_THIRD
#undef KWS_SECOND
#undef KWS_FIRST
#undef KWS_PAIR

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

// In assembly, because it needs all registers. The output stage is described at Outputs::Factor.
void RunEightTaps(EightTaps& work, int pairs, int8_t* to) {
  // Outputs are two values apart: a pair of the second is the next pair of the first. Sums: r6, r8,
  // r9, r10 for the first output and s0 to s3 for the second. r4: buffer row; r5: its weights.
// clang-format off
#define KWS_PAIR(first, second) \
  "ldr " second ", [r4], #4\n" \
  "ldr r2, [r5], #16\n" \
  "ldr r3, [r5, #-12]\n" \
  "smlad r6, r2, " first ", r6\n" \
  "smlad %[s0], r2, " second ", %[s0]\n" \
  "smlad r8, r3, " first ", r8\n" \
  "smlad %[s1], r3, " second ", %[s1]\n" \
  "ldr r2, [r5, #-8]\n" \
  "ldr r3, [r5, #-4]\n" \
  "smlad r9, r2, " first ", r9\n" \
  "smlad %[s2], r2, " second ", %[s2]\n" \
  "smlad r10, r3, " first ", r10\n" \
  "smlad %[s3], r3, " second ", %[s3]\n"
// clang-format on
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
  // The last row's step makes the address negative: there is no memory above 2^31.
  int32_t* const last = reinterpret_cast<int32_t*>(work.filter + work.rows * kEightTapsRow - 2);
  const int32_t to_next_row = *last;
  *last = INT32_MIN;
  const int16_t* const buffer_end = work.buffer + 4 * pairs;
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
      "ldr r0, [r5, #%c[buffer] - %c[end]]\n"
      "ldr r1, %[buffer_end]\n"
      "cmp r0, r1\n"
      "bne 1b\n"
      : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [to] "+m"(to)
      : [work] "m"(address), [step] "m"(step), [buffer_end] "m"(buffer_end),
        [factors] "I"(offsetof(EightTaps, factors)), [buffer] "I"(offsetof(EightTaps, buffer)),
        [end] "I"(offsetof(EightTaps, factors) + sizeof(EightTaps::factors))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory");
#undef KWS_WRITE
#undef KWS_ROW
#undef KWS_PAIR
  *last = to_next_row;
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
