#include "runtime/kernels/depthwise_loops.h"

#include "runtime/flatbuffer.h"

namespace kws {
namespace {

// Sixteen bytes of anything, which the compiler moves with two instructions.
struct __attribute__((may_alias)) Chunk {
  uint32_t words[4];
};
static_assert(sizeof(Chunk) == kChunk * sizeof(int16_t), "a chunk is eight values");

}  // namespace

void MoveChunks(const int16_t* from, int chunks, int16_t* to) {
  const Chunk* source = reinterpret_cast<const Chunk*>(from);
  Chunk* target = reinterpret_cast<Chunk*>(to);
  for (int i = chunks; i > 0; --i) *target++ = *source++;
}

void Widen(const int8_t* from, int step, int count, int32_t offset, int16_t* to) {
#if KWS_HAVE_DSP
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
#endif
#pragma GCC unroll 4
  for (int i = count; i > 0; --i) {
    *to++ = static_cast<int16_t>(*from + offset);
    from += step;
  }
}

#if KWS_HAVE_DSP

void PackEightTaps(const int8_t* weights, int step, int pairs, int16_t* packed) {
  for (int i = pairs; i > 0; --i) {
    const uint32_t first = LoadAs<uint32_t>(weights);
    const uint32_t second = LoadAs<uint32_t>(weights + step);
    weights += 2 * step;
    const uint32_t even = dsp::Even(first);
    const uint32_t odd = dsp::Odd(first);
    const uint32_t next_even = dsp::Even(second);
    const uint32_t next_odd = dsp::Odd(second);
    dsp::StoreTwo(packed, dsp::PackLow(even, next_even), dsp::PackLow(odd, next_odd));
    dsp::StoreTwo(packed + 4, dsp::PackHigh(even, next_even), dsp::PackHigh(odd, next_odd));
    packed += 8;
  }
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

void RunEightTaps(const EightTaps& work, int pairs, int8_t* to) {
  // Two outputs are two values apart: a pair of the second is the next pair of the first. With
  // eight sums, two taps, two weights and two pointers, all else is in memory.
#define KWS_PAIR(first, second)          \
  "ldr " second                          \
  ", [%[row]], #4\n"                     \
  "ldrd %[w0], %[w1], [%[filter]], #8\n" \
  "smlad %[s0], %[w0], " first           \
  ", %[s0]\n"                            \
  "smlad %[s1], %[w0], " second          \
  ", %[s1]\n"                            \
  "smlad %[s2], %[w1], " first           \
  ", %[s2]\n"                            \
  "smlad %[s3], %[w1], " second          \
  ", %[s3]\n"                            \
  "ldrd %[w0], %[w1], [%[filter]], #8\n" \
  "smlad %[s4], %[w0], " first           \
  ", %[s4]\n"                            \
  "smlad %[s5], %[w0], " second          \
  ", %[s5]\n"                            \
  "smlad %[s6], %[w1], " first           \
  ", %[s6]\n"                            \
  "smlad %[s7], %[w1], " second ", %[s7]\n"
  // One filter's two outputs: to[channel], at [w1], and the next pixel's, at [row].
#define KWS_WRITE(a, b, channel)                                              \
  "ldrd %[t0], %[t1], [%[filter]], #8\n"                                      \
  "ldr %[w0], [%[filter]], #4\n" KWS_SCALE(a, "%[t0]", "%[t1]", "%[w0]")      \
      KWS_SCALE(b, "%[t0]", "%[t1]", "%[w0]") "strb " a ", [%[w1], #" channel \
                                              "]\n"                           \
                                              "strb " b ", [%[row], #" channel "]\n"
  constexpr int kTaps = 8;
  const int32_t start0 = work.start[0], start1 = work.start[1];
  const int32_t start2 = work.start[2], start3 = work.start[3];
  const int16_t* band = work.band;
  const int16_t* const first = work.filter;
  const int16_t* const end = first + work.rows * kTaps * 4;
  // From behind the fifth pair, in bytes.
  const int next_row = (work.row_size - kTaps - 2) * static_cast<int>(sizeof(int16_t));
  const Outputs::Factor* const factors = work.factors;
  const int32_t step = work.step;
  uint32_t row, filter, s0, s1, s2, s3, s4, s5, s6, s7, t0, t1, w0, w1;
  __asm__ volatile(
      "1:\n"
      "ldr %[s0], %[start0]\n"
      "ldr %[s2], %[start1]\n"
      "ldr %[s4], %[start2]\n"
      "ldr %[s6], %[start3]\n"
      "ldr %[row], %[band]\n"
      "ldr %[filter], %[first]\n"
      "mov %[s1], %[s0]\n"
      "mov %[s3], %[s2]\n"
      "mov %[s5], %[s4]\n"
      "mov %[s7], %[s6]\n"
      "add %[w0], %[row], #8\n"
      "str %[w0], %[band]\n"
      "2:\n"
      "ldr %[t0], [%[row]], #4\n"  //
      KWS_PAIR("%[t0]", "%[t1]") KWS_PAIR("%[t1]", "%[t0]") KWS_PAIR("%[t0]", "%[t1]")
          KWS_PAIR("%[t1]", "%[t0]")
      "ldr %[t0], %[next_row]\n"
      "ldr %[t1], %[end]\n"
      "add %[row], %[t0]\n"
      "cmp %[filter], %[t1]\n"
      "bne 2b\n"
      "ldr %[w1], %[to]\n"
      "ldr %[row], %[step]\n"
      "ldr %[filter], %[factors]\n"
      "add %[row], %[w1]\n"  //
      KWS_WRITE("%[s0]", "%[s1]", "0") KWS_WRITE("%[s2]", "%[s3]", "1")
          KWS_WRITE("%[s4]", "%[s5]", "2") KWS_WRITE("%[s6]", "%[s7]", "3")
      "ldr %[t0], %[step]\n"
      "ldr %[t1], %[pairs]\n"
      "add %[row], %[t0]\n"
      "str %[row], %[to]\n"
      "subs %[t1], #1\n"
      "str %[t1], %[pairs]\n"
      "bne 1b\n"
      : [row] "=&r"(row), [filter] "=&r"(filter), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),
        [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6), [s7] "=&r"(s7),
        [t0] "=&r"(t0), [t1] "=&r"(t1), [w0] "=&r"(w0), [w1] "=&r"(w1), [band] "+m"(band),
        [to] "+m"(to), [pairs] "+m"(pairs)
      : [start0] "m"(start0), [start1] "m"(start1), [start2] "m"(start2), [start3] "m"(start3),
        [first] "m"(first), [end] "m"(end), [next_row] "m"(next_row), [factors] "m"(factors),
        [step] "m"(step)
      : "cc", "memory");
#undef KWS_WRITE
#undef KWS_PAIR
}

#endif  // KWS_HAVE_DSP

}  // namespace kws
