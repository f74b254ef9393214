// SPDX-License-Identifier: Apache-2.0
// loops/spectrum.h for cores with Arm's DSP extension. In assembly, because they need all
// registers.
#ifndef KWS_FRONTEND_LOOPS_CORTEX_M4_SPECTRUM_H_
#define KWS_FRONTEND_LOOPS_CORTEX_M4_SPECTRUM_H_

#include <cstdint>

#include "kws/frontend/loops/complex16.h"
#include "kws/frontend/params.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {

// Weights and stores a complex sample of each half of the window, and collects their absolute
// values: SSUB16 sets flags by sign, and SEL selects the negatives of negative parts.
#define KWS_WEIGH(x, first, second, at) \
  "smul" first " %[u], " x              \
  ", %[weights]\n"                      \
  "smul" second " " x ", " x            \
  ", %[weights]\n"                      \
  "lsl %[u], #%c[high]\n"               \
  "pkhtb " x ", %[u], " x               \
  ", asr #%c[bits]\n"                   \
  "str " x ", " at                      \
  "\n"                                  \
  "ssub16 %[u], %[zero], " x            \
  "\n"                                  \
  "sel " x ", %[u], " x                 \
  "\n"                                  \
  "orr %[magnitudes], " x "\n"
#define KWS_WEIGH_PAIR(early_at, late_at)                                   \
  "ldr %[weights], [%[window]], #4\n"                                       \
  "ldr %[s], [%[samples]], #4\n"                                            \
  "ldr %[t], [%[mirrored], #-4]!\n" KWS_WEIGH("%[s]", "tt", "bb", early_at) \
      KWS_WEIGH("%[t]", "tb", "bt", late_at)
inline uint32_t ApplyWindow(const int16_t* before, const int16_t* newest, uint32_t* work) {
  const int16_t* samples = before;
  const int16_t* mirrored = newest + kNewestSamples;
  const uint32_t* window = kWindow.data();
  const uint8_t* position = kFftPosition.data();
  const uint8_t* mirror_position = position + kFftPosition.size();
  const uint8_t* end = position + kNewestSamples / 8;
  uint32_t magnitudes = 0;
  while (true) {
    uint32_t early, late, weights, s, t, u;
    asm volatile(
        "1:\n"
        "ldrb %[early], [%[position]], #1\n"
        "ldrb %[late], [%[mirror_position], #-1]!\n"
        "ldr %[t], %[work]\n"
        "add %[early], %[t], %[early], lsl #2\n"
        "add %[late], %[t], %[late], lsl #2\n"
        "2:\n"  //
        KWS_WEIGH_PAIR("[%[early]]", "[%[late], #3 * %c[step]]")
        KWS_WEIGH_PAIR("[%[early], #%c[step]]", "[%[late], #2 * %c[step]]")
        "add %[early], #2 * %c[step]\n"
        "sub %[late], #2 * %c[step]\n"
        "tst %[window], #15\n"  // four weights are 16 bytes
        "bne 2b\n"
        "cmp %[position], %[end]\n"
        "bne 1b\n"
        : [samples] "+r"(samples), [mirrored] "+r"(mirrored), [window] "+r"(window),
          [position] "+r"(position), [mirror_position] "+r"(mirror_position),
          [magnitudes] "+r"(magnitudes), [early] "=&r"(early), [late] "=&r"(late),
          [weights] "=&r"(weights), [s] "=&r"(s), [t] "=&r"(t), [u] "=&r"(u)
        : [zero] "r"(0), [end] "r"(end), [work] "m"(work), [bits] "i"(kWindowBits),
          [high] "i"(16 - kWindowBits), [step] "i"(kFftStep * sizeof(uint32_t))
        : "cc", "memory");
    if (position == mirror_position) break;
    end += (kWindowSamples / 2 - kNewestSamples) / 8;
    mirrored = samples + (kWindowSamples - 2 * kNewestSamples);  // the end of `before`
  }
  return (magnitudes | magnitudes >> 16) & 0xFFFF;
}
#undef KWS_WEIGH_PAIR
#undef KWS_WEIGH

#define KWS_QUARTER(x)           \
  "smlatb %[t], " x              \
  ", %[factor], %[round_high]\n" \
  "smlabb " x ", " x             \
  ", %[factor], %[round_high]\n" \
  "pkhtb " x ", %[t], " x ", asr #16\n"
#define KWS_TURN(x, turn)     \
  "smladx %[t], " x ", " turn \
  ", %[round]\n"              \
  "smlsd " x ", " x ", " turn \
  ", %[round]\n"              \
  "lsl %[t], %[t], #1\n"      \
  "pkhtb " x ", %[t], " x ", asr #15\n"
#define KWS_BUTTERFLY         \
  KWS_QUARTER("%[a]")         \
  KWS_QUARTER("%[b]")         \
  KWS_QUARTER("%[c]")         \
  KWS_QUARTER("%[d]")         \
  KWS_TURN("%[b]", "r4")      \
  KWS_TURN("%[c]", "r5")      \
  KWS_TURN("%[d]", "r6")      \
  "sadd16 %[t], %[a], %[c]\n" \
  "ssub16 %[c], %[a], %[c]\n" \
  "sadd16 %[a], %[b], %[d]\n" \
  "ssub16 %[d], %[b], %[d]\n" \
  "ssax %[b], %[c], %[d]\n"   \
  "sasx %[d], %[c], %[d]\n"   \
  "ssub16 %[c], %[t], %[a]\n" \
  "sadd16 %[a], %[t], %[a]\n"

inline void MiddleStage(uint32_t* work, uint32_t size, const uint32_t* twiddle, uint32_t stride) {
  uint32_t* at = work;
  uint32_t* const end = work + kComplexSize;
  uint32_t* const last = work + size;
  const uint32_t step = stride * sizeof(uint32_t);
  uint32_t a, b, c, d, t;
  asm volatile(
      "1:\n"
      "ldr %[t], %[twiddle]\n"
      "ldr %[a], %[step]\n"
      "ldmia %[t], {r4, r5, r6}\n"
      "add %[t], %[a]\n"
      "str %[t], %[twiddle]\n"
      "2:\n"
      "add %[t], %[at], %[size], lsl #3\n"
      "ldr %[a], [%[at]]\n"
      "ldr %[b], [%[at], %[size], lsl #2]\n"
      "ldr %[c], [%[t]]\n"
      "ldr %[d], [%[t], %[size], lsl #2]\n"  //
      KWS_BUTTERFLY
      "add %[t], %[at], %[size], lsl #3\n"
      "str %[a], [%[at]]\n"
      "str %[b], [%[at], %[size], lsl #2]\n"
      "str %[c], [%[t]]\n"
      "str %[d], [%[t], %[size], lsl #2]\n"
      "add %[at], %[at], %[size], lsl #4\n"
      "cmp %[at], %[end]\n"
      "blo 2b\n"
      "sub %[at], #%c[back]\n"
      "ldr %[t], %[last]\n"
      "cmp %[at], %[t]\n"
      "bne 1b\n"
      : [at] "+r"(at), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t),
        [twiddle] "+m"(twiddle)
      : [size] "r"(size), [end] "r"(end), [factor] "r"(2 * kQuarter), [round_high] "r"(1 << 15),
        [round] "r"(1 << 14), [step] "m"(step), [last] "m"(last),
        [back] "i"((kComplexSize - 1) * sizeof(uint32_t))
      : "r4", "r5", "r6", "cc", "memory");
}

// The last stage, with all twiddles.
inline void LastStage(uint32_t* work, const uint32_t* twiddle) {
  uint32_t* at = work;
  uint32_t a, b, c, d, t;
  asm volatile(
      "1:\n"
      "ldr %[a], [%[at]]\n"
      "ldr %[b], [%[at], #%c[part]]\n"
      "ldr %[c], [%[at], #2 * %c[part]]\n"
      "ldr %[d], [%[at], #3 * %c[part]]\n"
      "ldr r4, [%[twiddle]], #4\n"
      "ldr r5, [%[twiddle]], #4\n"
      "ldr r6, [%[twiddle]], #4\n"  //
      KWS_BUTTERFLY
      "str %[b], [%[at], #%c[part]]\n"
      "str %[c], [%[at], #2 * %c[part]]\n"
      "str %[d], [%[at], #3 * %c[part]]\n"
      "str %[a], [%[at]], #4\n"
      "cmp %[at], %[end]\n"
      "bne 1b\n"
      : [at] "+r"(at), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t),
        [twiddle] "+r"(twiddle)
      : [end] "r"(work + kComplexSize / 4), [factor] "r"(2 * kQuarter), [round_high] "r"(1 << 15),
        [round] "r"(1 << 14), [part] "i"(kComplexSize / 4 * sizeof(uint32_t))
      : "r4", "r5", "r6", "cc", "memory");
}

#undef KWS_BUTTERFLY
#undef KWS_TURN
#undef KWS_QUARTER

inline void LaterStages(uint32_t* work, const uint32_t* twiddles) {
  uint32_t stride = 3 * kComplexSize / 16;
  for (uint32_t size = 4; size < kComplexSize / 4; size *= 4, stride /= 4) {
    MiddleStage(work, size, twiddles, stride);
  }
  LastStage(work, twiddles);
}

// Odd bins first, then even bins, which use half of the FFT's twiddles: two tables save 250 bytes.
inline void SplitToEnergies(uint32_t* work) {
  const uint32_t* twiddle = kOddTwiddles.data();
  int step = 1;
  for (int bin = kFirstBin; bin < kFirstBin + 2; ++bin) {
    uint32_t* front = work + bin;
    uint32_t* back = work + kComplexSize - bin;
    for (int i = 0; i < kSplits / 2; ++i) {
      const Complex z = Half(Load(front));
      const Complex mirror = HalfOfConjugate(Load(back));
      const Complex even = Add(z, mirror);
      const Complex odd = MulTimesMinusJ(Sub(z, mirror), Load(twiddle));
      twiddle += step;
      *front = EnergiesOfHalfSum(even, odd);
      *back = EnergiesOfHalfMirror(even, odd);
      front += 2;
      back -= 2;
    }
    twiddle = kTwiddles.data() + 3 * ((kFirstBin + 1) / 2);
    step = 3;
  }
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_CORTEX_M4_SPECTRUM_H_
