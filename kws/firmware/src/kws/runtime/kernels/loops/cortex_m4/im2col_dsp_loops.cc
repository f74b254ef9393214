// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/im2col_dsp_loops.h"

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP && !KWS_HAVE_MVE
namespace kws {

// Interleaves pairs of taps: taps 0 and 2 of both filters, then taps 1 and 3 of both.
void WidenFilters(const int8_t* first, const int8_t* second, int32_t taps, uint32_t* to) {
  // Eight taps at a time, with consecutive loads.
  for (int32_t i = taps >> 3; i > 0; --i) {
    uint32_t a, b, c, d;
    __asm__ volatile(
        "ldr %[a], [%[first]], #8\n"
        "ldr %[b], [%[second]], #8\n"
        "ldr %[c], [%[first], #-4]\n"
        "ldr %[d], [%[second], #-4]\n"
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [first] "+r"(first),
          [second] "+r"(second)
        :
        : "memory");
    to[0] = dsp::Even(a);
    to[1] = dsp::Even(b);
    to[2] = dsp::Odd(a);
    to[3] = dsp::Odd(b);
    to[4] = dsp::Even(c);
    to[5] = dsp::Even(d);
    to[6] = dsp::Odd(c);
    to[7] = dsp::Odd(d);
    to += 8;
  }
  for (int32_t left = taps & 7; left > 0; left -= 4) {
    const bool whole = left >= 4;
    const uint32_t a = whole ? LoadAs<uint32_t>(first) : dsp::LoadTail(first, left);
    const uint32_t b = whole ? LoadAs<uint32_t>(second) : dsp::LoadTail(second, left);
    to[0] = dsp::Even(a);
    to[1] = dsp::Even(b);
    to[2] = dsp::Odd(a);
    to[3] = dsp::Odd(b);
    first += 4;
    second += 4;
    to += 4;
  }
}

// Both loops are equivalent to
//
//   for (; tiles > 0; --tiles, to += 3 * step) {
//     int32_t a[3] = {biases[0], biases[0], biases[0]};
//     int32_t b[3] = {biases[1], biases[1], biases[1]};
//     for (const uint32_t* w = weights; w != end; w += 2, columns += 3) {
//       for (int i = 0; i < 3; ++i) {
//         a[i] = dsp::MulAddPairs(w[0], columns[i], a[i]);
//         b[i] = dsp::MulAddPairs(w[1], columns[i], b[i]);
//       }
//     }
//     for (int i = 0; i < 3; ++i) {
//       to[i * step] = Scaled(a[i], factors[0]);
//       to[i * step + 1] = Scaled(b[i], factors[1]);
//     }
//   }
//
// In assembly, because they need all registers and consecutive loads: the first load takes two
// cycles, each further one takes one, but the compiler separates them.
//
// MultiplyNarrow widens the weights, four taps at a time; the second filter is `taps` bytes after
// the first.
#define KWS_TILE_BEGIN     \
  "1:\n"                   \
  "ldr r0, %[pair]\n"      \
  "ldr r5, [r0]\n"         \
  "ldr %[end], [r0, #4]\n" \
  "ldr %[a0], [r0, #8]\n"  \
  "ldr %[b0], [r0, #12]\n"
#define KWS_TILE_END \
  "ldr r5, %[pair]\n"                                                                       \
  "ldr r0, [r5, #16]\n"                                                                     \
  "ldr r1, [r5, #20]\n"                                                                     \
  "ldr r2, [r5, #24]\n"                                                                     \
  "ldr r3, [r5, #28]\n"                                                                     \
  "ldr r4, [r5, #32]\n"                                                                     \
  "ldr %[end], [r5, #36]\n"                                                                 \
  "ldr r5, [r5, #44]\n" KWS_SCALE("%[a0]", "r0", "r1", "r2")                                \
      KWS_SCALE("%[a1]", "r0", "r1", "r2") KWS_SCALE("%[a2]", "r0", "r1", "r2")             \
          KWS_SCALE("%[b0]", "r3", "r4", "%[end]") KWS_SCALE("%[b1]", "r3", "r4", "%[end]") \
              KWS_SCALE("%[b2]", "r3", "r4", "%[end]")                                      \
  "ldr r0, %[to]\n"                                                                         \
  "ldr r2, %[left]\n"                                                                       \
  "adds r1, r0, #1\n"                                                                       \
  "strb %[a0], [r0]\n"                                                                      \
  "strb %[b0], [r1]\n"                                                                      \
  "strb %[a1], [r0, r5]\n"                                                                  \
  "strb %[b1], [r1, r5]\n"                                                                  \
  "strb %[a2], [r0, r5, lsl #1]\n"                                                          \
  "strb %[b2], [r1, r5, lsl #1]\n"                                                          \
  "add r0, r0, r5\n"                                                                        \
  "add r0, r0, r5, lsl #1\n"                                                                \
  "str r0, %[to]\n"                                                                         \
  "subs r2, #1\n"                                                                           \
  "str r2, %[left]\n"                                                                       \
  "bne 1b\n"
#define KWS_OUTPUTS                                                                               \
  [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1), [b2] "=&r"(b2), \
      [end] "=&r"(end), [left] "+m"(work.left), [to] "+m"(work.to)
namespace {
struct Tiles {
  const uint32_t* columns;
  int32_t left;
  int8_t* to;
};
}  // namespace

void MultiplyWide(const Pair& pair, const uint32_t* columns, int tiles) {
  // r5 is two words before the weights and r6 three words before the columns, so that the last step
  // of a round advances them to the next. The first step initializes all sums.
#define KWS_PRODUCTS             \
  "smlad %[a0], r0, r2, %[a0]\n" \
  "smlad %[a1], r0, r3, %[a1]\n" \
  "smlad %[a2], r0, r4, %[a2]\n" \
  "smlad %[b0], r1, r2, %[b0]\n" \
  "smlad %[b1], r1, r3, %[b1]\n" \
  "smlad %[b2], r1, r4, %[b2]\n"
#define KWS_FIRST_PRODUCTS       \
  "smlad %[a2], r0, r4, %[a0]\n" \
  "smlad %[a1], r0, r3, %[a0]\n" \
  "smlad %[a0], r0, r2, %[a0]\n" \
  "smlad %[b2], r1, r4, %[b0]\n" \
  "smlad %[b1], r1, r3, %[b0]\n" \
  "smlad %[b0], r1, r2, %[b0]\n"
// clang-format off
#define KWS_LOADS(weight, column) \
  "ldr r0, [r5, #4*" #weight "]\n" \
  "ldr r1, [r5, #4*" #weight "+4]\n" \
  "ldr r2, [r6, #4*" #column "]\n" \
  "ldr r3, [r6, #4*" #column "+4]\n" \
  "ldr r4, [r6, #4*" #column "+8]\n"
// clang-format on
#define KWS_STEP(weight, column) KWS_LOADS(weight, column) KWS_PRODUCTS
#define KWS_LAST_STEP(weight, column) \
  "ldr r0, [r5, #4*" #weight          \
  "]!\n"                              \
  "ldr r2, [r6, #4*" #column          \
  "]!\n"                              \
  "ldr r1, [r5, #4]\n"                \
  "ldr r3, [r6, #4]\n"                \
  "ldr r4, [r6, #8]\n" KWS_PRODUCTS
  volatile Tiles work = {columns - 3, tiles, pair.to};
  const Pair* const address = &pair;
  int32_t a0, a1, a2, b0, b1, b2;
  uint32_t end;
  __asm__ volatile(
      "ldr r6, %[columns]\n"  //
      KWS_TILE_BEGIN
      "sub r1, %[end], r5\n"
      "subs r5, #8\n"
      "sub %[end], #8\n"
      // After the first four taps: four, then eight if needed, so that multiples of sixteen remain.
      "subs r1, #16\n"
      "lsls r1, #27\n"  //
      KWS_LOADS(2, 3) KWS_FIRST_PRODUCTS KWS_LAST_STEP(4, 6)
      "bpl 2f\n"  //
      KWS_STEP(2, 3) KWS_LAST_STEP(4, 6)
      "2:\n"
      "bcc 3f\n"  //
      KWS_STEP(2, 3) KWS_STEP(4, 6) KWS_STEP(6, 9) KWS_LAST_STEP(8, 12)
      "3:\n"
      "cmp r5, %[end]\n"
      "beq 5f\n"
      "4:\n"  //
      KWS_STEP(2, 3) KWS_STEP(4, 6) KWS_STEP(6, 9) KWS_STEP(8, 12) KWS_STEP(10, 15)
      KWS_STEP(12, 18) KWS_STEP(14, 21) KWS_LAST_STEP(16, 24)
      "cmp r5, %[end]\n"
      "bne 4b\n"
      "5:\n"  //
      KWS_TILE_END
      : KWS_OUTPUTS
      : [columns] "m"(work.columns), [pair] "m"(address)
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "cc", "memory");
#undef KWS_LAST_STEP
#undef KWS_STEP
#undef KWS_LOADS
#undef KWS_FIRST_PRODUCTS
#undef KWS_PRODUCTS
}

// The taps are a multiple of four.
void MultiplyNarrow(const Pair& pair, int32_t taps, const uint32_t* columns, int tiles) {
  // r1 and `end`: four weights of each filter. r0: the second filter's offset, then two widened
  // weights.
// clang-format off
#define KWS_PRODUCTS(weights, rotated, a, b, c) \
  "sxtb16 r0, " weights rotated "\n" \
  "smlad " a ", r0, r2, " a "\n" \
  "smlad " b ", r0, r3, " b "\n" \
  "smlad " c ", r0, r4, " c "\n"
// clang-format on
#define KWS_PAIR_PRODUCTS(rotated)                       \
  KWS_PRODUCTS("r1", rotated, "%[a0]", "%[a1]", "%[a2]") \
  KWS_PRODUCTS("%[end]", rotated, "%[b0]", "%[b1]", "%[b2]")
#define KWS_FOUR_TAPS \
  "ldr r0, %[taps]\n"            \
  "ldr r2, [r6], #4*6\n"         \
  "ldr %[end], [r5, r0]\n"       \
  "ldr r1, [r5], #4\n"           \
  "ldr r3, [r6, #4-4*6]\n"       \
  "ldr r4, [r6, #8-4*6]\n" KWS_PAIR_PRODUCTS("") \
  "ldr r2, [r6, #12-4*6]\n"      \
  "ldr r3, [r6, #16-4*6]\n"      \
  "ldr r4, [r6, #20-4*6]\n" KWS_PAIR_PRODUCTS(", ror #8")
  volatile Tiles work = {columns, tiles, pair.to};
  volatile int32_t second = taps;
  const void* volatile stop = pair.end;
  const Pair* const address = &pair;
  int32_t a0, a1, a2, b0, b1, b2;
  uint32_t end;
  __asm__ volatile(
      "ldr r6, %[columns]\n"  //
      KWS_TILE_BEGIN
      "sub r1, %[end], r5\n"
      "mov %[a1], %[a0]\n"
      "mov %[a2], %[a0]\n"
      "mov %[b1], %[b0]\n"
      "mov %[b2], %[b0]\n"
      "tst r1, #4\n"
      "beq 2f\n"  //
      KWS_FOUR_TAPS
      "ldr r0, %[stop]\n"
      "cmp r5, r0\n"
      "beq 3f\n"
      "2:\n"  //
      KWS_FOUR_TAPS KWS_FOUR_TAPS
      "ldr r0, %[stop]\n"
      "cmp r5, r0\n"
      "bne 2b\n"
      "3:\n"  //
      KWS_TILE_END:KWS_OUTPUTS
      : [columns] "m"(work.columns), [pair] "m"(address), [taps] "m"(second), [stop] "m"(stop)
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "cc", "memory");
#undef KWS_FOUR_TAPS
#undef KWS_PAIR_PRODUCTS
#undef KWS_PRODUCTS
}
#undef KWS_OUTPUTS
#undef KWS_TILE_END
#undef KWS_TILE_BEGIN

int32_t DotIm2colColumn(const int8_t* weights, int32_t taps, const uint32_t* column, int32_t sum) {
  for (int32_t i = taps >> 2; i > 0; --i) {
    const uint32_t w = LoadAs<uint32_t>(weights);
    sum = dsp::MulAddPairs(dsp::Even(w), column[0], sum);
    sum = dsp::MulAddPairs(dsp::Odd(w), column[kTile], sum);
    weights += 4;
    column += 2 * kTile;
  }
  if ((taps & 3) != 0) {
    const uint32_t w = dsp::LoadTail(weights, taps & 3);
    sum = dsp::MulAddPairs(dsp::Even(w), column[0], sum);
    sum = dsp::MulAddPairs(dsp::Odd(w), column[kTile], sum);
  }
  return sum;
}

uint32_t* Im2colColumn(int16_t* columns, int32_t taps, int column) {
  const int32_t rounded = (taps + 3) & ~3;
  const int32_t filters = WidensFilters(static_cast<uint32_t>(taps)) ? rounded : 0;
  return reinterpret_cast<uint32_t*>(columns) + filters + column / kTile * kTile * (rounded >> 1) +
         column % kTile;
}

// Interleaves the pairs of taps of a tile's columns, as WidenFilters does for two filters.
void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                       int16_t* columns) {
  const uint32_t offsets = dsp::Pack(offset, offset);
  uint32_t* to = Im2colColumn(columns, count, column);
  for (int32_t i = count >> 3; i > 0; --i) {
    uint32_t x, y;
    __asm__ volatile(
        "ldr %[x], [%[taps]], #8\n"
        "ldr %[y], [%[taps], #-4]\n"
        : [x] "=&r"(x), [y] "=&r"(y), [taps] "+r"(taps)
        :
        : "memory");
    to[0] = dsp::AddEven(offsets, x);
    to[kTile] = dsp::AddOdd(offsets, x);
    to[2 * kTile] = dsp::AddEven(offsets, y);
    to[3 * kTile] = dsp::AddOdd(offsets, y);
    to += 4 * kTile;
  }
  for (int32_t left = count & 7; left > 0; left -= 4) {
    const uint32_t x = left >= 4 ? LoadAs<uint32_t>(taps) : dsp::LoadTail(taps, left);
    to[0] = dsp::AddEven(offsets, x);
    to[kTile] = dsp::AddOdd(offsets, x);
    taps += 4;
    to += 2 * kTile;
  }
}

}  // namespace kws
#endif
