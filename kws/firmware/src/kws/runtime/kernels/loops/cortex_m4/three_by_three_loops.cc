// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/three_by_three_loops.h"

#include <cstddef>

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

static_assert(offsetof(ThreeByThree, weights) == 4 && offsetof(ThreeByThree, multiplier) == 28 &&
                  offsetof(ThreeByThree, step) == 40 && offsetof(ThreeByThree, next_output) == 56,
              "the loop has these numbers");

}  // namespace

void PackThreeByThree(const int8_t* weights, int row_step, int column_step,
                      ThreeByThree* channels) {
  for (int row = 0; row < 3; ++row) {
    const uint32_t a = LoadAs<uint32_t>(weights);
    const uint32_t b = LoadAs<uint32_t>(weights + column_step);
    const uint32_t c = LoadAs<uint32_t>(weights + 2 * column_step);
    const uint32_t b_even = dsp::Even(b);
    const uint32_t b_odd = dsp::Odd(b);
    channels[0].weights[row][0] = dsp::PackLow(dsp::Even(a), b_even);
    channels[0].weights[row][1] = dsp::PackLow(b_even, dsp::Even(c));
    channels[1].weights[row][0] = dsp::PackLow(dsp::Odd(a), b_odd);
    channels[1].weights[row][1] = dsp::PackLow(b_odd, dsp::Odd(c));
    channels[2].weights[row][0] = dsp::PackHigh(dsp::Even(a), b_even);
    channels[2].weights[row][1] = dsp::PackHigh(b_even, dsp::Even(c));
    channels[3].weights[row][0] = dsp::PackHigh(dsp::Odd(a), b_odd);
    channels[3].weights[row][1] = dsp::PackHigh(b_odd, dsp::Odd(c));
    weights += row_step;
  }
}

void PackThreeTaps(const int8_t* weights, int rows, int row_step, int column_step,
                   ThreeByThree* channel) {
  for (int row = 0; row < rows; ++row) {
    const int32_t b = weights[column_step];
    channel->weights[row][0] = dsp::Pack(weights[0], b);
    channel->weights[row][1] = dsp::Pack(b, weights[2 * column_step]);
    weights += row_step;
  }
}

// Equivalent to
//
//   for (; top != end; top, middle, bottom and `to` advance to the next row) {
//     for (int x = 0; x < count; x += pass) {
//       // Four outputs at a time. If one would remain, five; if two or three would remain, the
//       last
//       // four.
//       for (int i = 0; i < pass; ++i) {
//         int32_t sum = start;
//         for (const int16_t* row : {top, middle, bottom}) {
//           const int16_t* v = row + stride * (x + i);
//           sum += a * v[0] + b * v[1] + c * v[2];
//         }
//         to[(x + i) * step] = Scaled(sum, multiplier, bias, right);
//       }
//     }
//   }
//
// In assembly, because it needs all registers and consecutive loads: the first load takes two
// cycles, each further one takes one. KWS_FOUR and KWS_FIVE: the products of a row, which advance
// the row's pointer by four outputs; the fifth sum is in `to`. `back` shifts outputs to bytes of a
// row; `four` and `five`: the products of all rows of the window.
#define KWS_LOAD_FACTOR            \
  "ldr %[v0], [%[channel], #28]\n" \
  "ldr %[v1], [%[channel], #32]\n" \
  "ldr %[v2], [%[channel], #36]\n" \
  "ldr %[w0], [%[channel], #40]\n"
#define KWS_SCALE_SUM(sum) KWS_SCALE(sum, "%[v0]", "%[v1]", "%[v2]")
#define KWS_SCALE_FOUR \
  KWS_SCALE_SUM("%[s0]") KWS_SCALE_SUM("%[s1]") KWS_SCALE_SUM("%[s2]") KWS_SCALE_SUM("%[s3]")
// clang-format off
#define KWS_ROWS(back, four, five) \
  "1:\n" \
  "ldr %[w1], [%[channel], #44]\n" \
  "cmp %[w1], #0\n" \
  "beq 3f\n" \
  "2:\n" \
  "str %[w1], %[left]\n" \
  "ldr %[s3], [%[channel]]\n" \
  four KWS_LOAD_FACTOR "ldr %[w1], %[left]\n" \
  KWS_SCALE_FOUR "add %[v0], %[w0], %[w0], lsl #1\n" \
  "strb %[s0], [%[to]]\n" \
  "strb %[s1], [%[to], %[w0]]\n" \
  "strb %[s2], [%[to], %[w0], lsl #1]\n" \
  "strb %[s3], [%[to], %[v0]]\n" \
  "add %[to], %[to], %[w0], lsl #2\n" \
  "adds %[w1], #1\n" \
  "bmi 2b\n" \
  "bne 5f\n" \
  "3:\n" \
  "ldr %[w1], [%[channel], #48]\n" \
  "cmp %[w1], #0\n" \
  "bmi 4f\n" \
  "beq 5f\n" \
  "sub %[top], %[top], %[w1], lsl #" back "\n" \
  "sub %[middle], %[middle], %[w1], lsl #" back "\n" \
  "sub %[bottom], %[bottom], %[w1], lsl #" back "\n" \
  "mls %[to], %[w0], %[w1], %[to]\n" \
  "b 2b\n" \
  "4:\n" \
  "str %[to], %[place]\n" \
  "ldr %[to], [%[channel]]\n" \
  five KWS_LOAD_FACTOR "ldr %[w1], %[place]\n" \
  KWS_SCALE_FOUR KWS_SCALE_SUM("%[to]") \
  "add %[v0], %[w0], %[w0], lsl #1\n" \
  "strb %[s0], [%[w1]]\n" \
  "strb %[s1], [%[w1], %[w0]]\n" \
  "strb %[s2], [%[w1], %[w0], lsl #1]\n" \
  "strb %[s3], [%[w1], %[v0]]\n" \
  "strb %[to], [%[w1], %[w0], lsl #2]\n" \
  "add %[w1], %[w1], %[w0]\n" \
  "add %[to], %[w1], %[w0], lsl #2\n" \
  "5:\n" \
  "ldr %[w0], [%[channel], #52]\n" \
  "ldr %[w1], [%[channel], #56]\n" \
  "ldr %[v0], %[end]\n" \
  "add %[top], %[w0]\n" \
  "add %[middle], %[w0]\n" \
  "add %[bottom], %[w0]\n" \
  "add %[to], %[w1]\n" \
  "cmp %[top], %[v0]\n" \
  "bne 1b\n"
// clang-format on
#define KWS_TOP_FOUR KWS_FOUR("top", "4", "%[s3]", "%[s3]", "%[s3]")
#define KWS_TOP_FIVE KWS_FIVE("top", "4", "%[to]", "%[to]", "%[to]", "%[to]")
#define KWS_ALL_FOUR                                               \
  KWS_TOP_FOUR KWS_FOUR("middle", "12", "%[s0]", "%[s1]", "%[s2]") \
      KWS_FOUR("bottom", "20", "%[s0]", "%[s1]", "%[s2]")
#define KWS_ALL_FIVE                                                        \
  KWS_TOP_FIVE KWS_FIVE("middle", "12", "%[s0]", "%[s1]", "%[s2]", "%[s3]") \
      KWS_FIVE("bottom", "20", "%[s0]", "%[s1]", "%[s2]", "%[s3]")
#define KWS_CHANNELS(back, four, five)                                                        \
  for (int c = 0; c < rows.channels; ++c) {                                                   \
    const int16_t* top = rows.buffer + channels[c].lane;                                      \
    const int16_t* middle = top + rows.row_values;                                            \
    const int16_t* bottom = middle + rows.row_values;                                         \
    const int16_t* const end = top + rows.values;                                             \
    int8_t* at = to + c;                                                                      \
    int32_t left;                                                                             \
    int8_t* place;                                                                            \
    uint32_t s0, s1, s2, s3, v0, v1, v2, w0, w1;                                              \
    __asm__ volatile(KWS_ROWS(back, four, five)                                               \
                     : [top] "+r"(top), [middle] "+r"(middle), [bottom] "+r"(bottom),         \
                       [to] "+r"(at), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),         \
                       [s3] "=&r"(s3), [v0] "=&r"(v0), [v1] "=&r"(v1), [v2] "=&r"(v2),        \
                       [w0] "=&r"(w0), [w1] "=&r"(w1), [left] "=m"(left), [place] "=m"(place) \
                     : [channel] "r"(&channels[c]), [end] "m"(end)                            \
                     : "cc", "memory");                                                       \
  }

void RunThreeByThreeRows(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to) {
// clang-format off
#define KWS_LOAD_ROW(row, place) \
  "ldr %[w0], [%[channel], #" place "]\n" \
  "ldr %[w1], [%[channel], #" place "+4]\n" \
  "ldr %[v1], [%[" row "], #4]\n" \
  "ldr %[v2], [%[" row "], #8]\n" \
  "ldr %[v0], [%[" row "]], #8\n"
#define KWS_FOUR(row, place, s0, s1, s2) \
  KWS_LOAD_ROW(row, place) \
  "smlad %[s0], %[w0], %[v0], " s0 "\n" \
  "smlabt %[s1], %[w0], %[v0], " s1 "\n" \
  "smlad %[s2], %[w0], %[v1], " s2 "\n" \
  "smlabt %[s3], %[w0], %[v1], %[s3]\n" KWS_ENDS
// clang-format on
#define KWS_ENDS                        \
  "smlatb %[s0], %[w1], %[v1], %[s0]\n" \
  "smlad %[s1], %[w1], %[v1], %[s1]\n"  \
  "smlatb %[s2], %[w1], %[v2], %[s2]\n" \
  "smlad %[s3], %[w1], %[v2], %[s3]\n"
// clang-format off
#define KWS_FIVE(row, place, s0, s1, s2, s3) \
  KWS_LOAD_ROW(row, place) \
  "smlad %[s0], %[w0], %[v0], " s0 "\n" \
  "smlabt %[s1], %[w0], %[v0], " s1 "\n" \
  "ldr %[v0], [%[" row "], #4]\n" \
  "smlad %[s2], %[w0], %[v1], " s2 "\n" \
  "smlabt %[s3], %[w0], %[v1], " s3 "\n" \
  "smlad %[to], %[w0], %[v2], %[to]\n" KWS_ENDS "smlatb %[to], %[w1], %[v0], %[to]\n"
  // clang-format on
  KWS_CHANNELS("1", KWS_ALL_FOUR, KWS_ALL_FIVE)
}

void RunThreeTapsRow(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to) {
  KWS_CHANNELS("1", KWS_TOP_FOUR, KWS_TOP_FIVE)
#undef KWS_FIVE
#undef KWS_ENDS
#undef KWS_FOUR
#undef KWS_LOAD_ROW
}

void RunThreeByThreeEveryOther(const ThreeByThree* channels, const ThreeByThreeRows& rows,
                               int8_t* to) {
#define KWS_FOUR(row, place, s0, s1, s2) KWS_PRODUCTS(row, place, s0, s1, s2, "%[s3]", "")
#define KWS_FIVE(row, place, s0, s1, s2, s3) \
  KWS_PRODUCTS(row, place, s0, s1, s2, s3, KWS_FIFTH(row))
// clang-format off
#define KWS_PRODUCTS(row, place, s0, s1, s2, s3, fifth) \
  "ldr %[w0], [%[channel], #" place "]\n" \
  "ldr %[w1], [%[channel], #" place "+4]\n" \
  "ldr %[v1], [%[" row "], #4]\n" \
  "ldr %[v2], [%[" row "], #8]\n" \
  "ldr %[v0], [%[" row "]], #16\n" \
  "smlad %[s1], %[w0], %[v1], " s1 "\n" \
  "smlad %[s2], %[w0], %[v2], " s2 "\n" \
  "smlatb %[s1], %[w1], %[v2], %[s1]\n" \
  "smlad %[s0], %[w0], %[v0], " s0 "\n" \
  "smlatb %[s0], %[w1], %[v1], %[s0]\n" \
  "ldr %[v2], [%[" row "], #-4]\n" \
  "ldr %[v1], [%[" row "]]\n" \
  "smlatb %[s2], %[w1], %[v2], %[s2]\n" \
  "smlad %[s3], %[w0], %[v2], " s3 "\n" \
  "smlatb %[s3], %[w1], %[v1], %[s3]\n" fifth
#define KWS_FIFTH(row) \
  "ldr %[v0], [%[" row "], #4]\n" \
  "smlad %[to], %[w0], %[v1], %[to]\n" \
  "smlatb %[to], %[w1], %[v0], %[to]\n"
  // clang-format on
  KWS_CHANNELS("2", KWS_ALL_FOUR, KWS_ALL_FIVE)
}

void RunThreeTapsEveryOther(const ThreeByThree* channels, const ThreeByThreeRows& rows,
                            int8_t* to) {
  KWS_CHANNELS("2", KWS_TOP_FOUR, KWS_TOP_FIVE)
#undef KWS_FIFTH
#undef KWS_PRODUCTS
#undef KWS_FIVE
#undef KWS_FOUR
}
#undef KWS_CHANNELS
#undef KWS_ALL_FIVE
#undef KWS_ALL_FOUR
#undef KWS_TOP_FIVE
#undef KWS_TOP_FOUR
#undef KWS_ROWS
#undef KWS_SCALE_FOUR
#undef KWS_SCALE_SUM
#undef KWS_LOAD_FACTOR

}  // namespace kws
#endif  // KWS_HAVE_DSP
