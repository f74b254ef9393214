// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/arm/three_by_three_loops.h"

#include <cstddef>

#if KWS_HAVE_DSP
namespace kws {
namespace {

static_assert(offsetof(ThreeByThree, weights) == 4 && offsetof(ThreeByThree, multiplier) == 28 &&
                  offsetof(ThreeByThree, step) == 40,
              "the loop has these numbers");

}  // namespace

// It stands for
//
//   for (int x = 0; x < count; to += 4 * step) {
//     if (x > count - 4) go back to count - 4;
//     for (int i = 0; i < 4; ++i, ++x) {
//       int32_t sum = start;
//       for (const int16_t* row : {rows[0], rows[1], rows[2]})
//         sum += a * row[x] + b * row[x + 1] + c * row[x + 2];
//       to[i * step] = Scaled(sum, multiplier, bias, right);
//     }
//   }
//
// and is in assembly for the registers, of which it takes all, and for loads that follow each
// other: the first takes two cycles, each of the others one.
void RunThreeByThreeRow(const ThreeByThree& channel, const int16_t* const (&rows)[3], int count,
                        int8_t* to) {
#define KWS_ROW(row, place, s0, s1, s2) \
  "ldr %[w0], [%[channel], #" place     \
  "]\n"                                 \
  "ldr %[w1], [%[channel], #" place     \
  "+4]\n"                               \
  "ldr %[v1], [%[" row                  \
  "], #4]\n"                            \
  "ldr %[v2], [%[" row                  \
  "], #8]\n"                            \
  "ldr %[v0], [%[" row                  \
  "]], #8\n"                            \
  "smlad %[s0], %[w0], %[v0], " s0      \
  "\n"                                  \
  "smlabt %[s1], %[w0], %[v0], " s1     \
  "\n"                                  \
  "smlad %[s2], %[w0], %[v1], " s2      \
  "\n"                                  \
  "smlabt %[s3], %[w0], %[v1], %[s3]\n" \
  "smlatb %[s0], %[w1], %[v1], %[s0]\n" \
  "smlad %[s1], %[w1], %[v1], %[s1]\n"  \
  "smlatb %[s2], %[w1], %[v2], %[s2]\n" \
  "smlad %[s3], %[w1], %[v2], %[s3]\n"
#define KWS_SCALE_SUM(sum) KWS_SCALE(sum, "%[v0]", "%[v1]", "%[v2]")
  const ThreeByThree* const address = &channel;
  const int16_t* top = rows[0];
  const int16_t* middle = rows[1];
  const int16_t* bottom = rows[2];
  int32_t left = count >> 2;
  int32_t back = -count & 3;
  uint32_t s0, s1, s2, s3, v0, v1, v2, w0, w1;
  __asm__ volatile(
      "1:\n"
      "ldr %[s3], [%[channel]]\n"  //
      KWS_ROW("top", "4", "%[s3]", "%[s3]", "%[s3]")
      KWS_ROW("middle", "12", "%[s0]", "%[s1]", "%[s2]")
      KWS_ROW("bottom", "20", "%[s0]", "%[s1]", "%[s2]")
      "ldr %[v0], [%[channel], #28]\n"
      "ldr %[v1], [%[channel], #32]\n"
      "ldr %[v2], [%[channel], #36]\n"
      "ldr %[w0], [%[channel], #40]\n"
      "ldr %[w1], %[left]\n"  //
      KWS_SCALE_SUM("%[s0]") KWS_SCALE_SUM("%[s1]") KWS_SCALE_SUM("%[s2]") KWS_SCALE_SUM("%[s3]")
      "add %[v0], %[w0], %[w0], lsl #1\n"
      "strb %[s0], [%[to]]\n"
      "strb %[s1], [%[to], %[w0]]\n"
      "strb %[s2], [%[to], %[w0], lsl #1]\n"
      "strb %[s3], [%[to], %[v0]]\n"
      "add %[to], %[to], %[w0], lsl #2\n"
      "subs %[w1], #1\n"
      "str %[w1], %[left]\n"
      "bne 1b\n"
      "ldr %[w1], %[back]\n"
      "mvn %[v0], #0\n"
      "cmp %[w1], #1\n"
      "str %[v0], %[back]\n"
      "blt 2f\n"
      "sub %[top], %[top], %[w1], lsl #1\n"
      "sub %[middle], %[middle], %[w1], lsl #1\n"
      "sub %[bottom], %[bottom], %[w1], lsl #1\n"
      "mls %[to], %[w0], %[w1], %[to]\n"
      "movs %[w1], #1\n"
      "str %[w1], %[left]\n"
      "b 1b\n"
      "2:\n"
      : [top] "+r"(top), [middle] "+r"(middle), [bottom] "+r"(bottom), [to] "+r"(to),
        [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [v0] "=&r"(v0),
        [v1] "=&r"(v1), [v2] "=&r"(v2), [w0] "=&r"(w0), [w1] "=&r"(w1), [left] "+m"(left),
        [back] "+m"(back)
      : [channel] "r"(address)
      : "cc", "memory");
#undef KWS_SCALE_SUM
#undef KWS_ROW
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
