// SPDX-License-Identifier: Apache-2.0
// complex16.h for cores with Arm's DSP extension, which work on both parts of a number at once.
// Source: Arm C Language Extensions (IHI 0053), "32-bit SIMD intrinsics".
#ifndef KWS_FRONTEND_FFT_COMPLEX16_DSP_H_
#define KWS_FRONTEND_FFT_COMPLEX16_DSP_H_

#include <arm_acle.h>

#include <cstdint>
#include <cstring>

#include "frontend/always_inline.h"
#include "frontend/params.h"

namespace kws::frontend {

struct Complex {
  int16x2_t both;
};

namespace dsp {

KWS_INLINE int32_t ShiftLeft(int32_t x, int shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << shift);
}

KWS_INLINE int32_t Low(int16x2_t both) { return static_cast<int16_t>(both); }
KWS_INLINE int32_t High(int16x2_t both) { return both >> 16; }

// The high half of `high`, and bits [shift + 15 : shift] of `low`. No intrinsic gives PKHTB.
template <int shift>
KWS_INLINE int16x2_t Pack(int32_t high, int32_t low) {
  int16x2_t packed;
  asm("pkhtb %0, %1, %2, asr %3" : "=r"(packed) : "r"(high), "r"(low), "I"(shift));
  return packed;
}

}  // namespace dsp

KWS_INLINE Complex Load(const uint32_t* packed) { return {static_cast<int16x2_t>(*packed)}; }

KWS_INLINE Complex LoadSamples(const int16_t* samples) {
  Complex pair;
  std::memcpy(&pair, samples, sizeof(pair));  // one load: these cores do unaligned ones
  return pair;
}

KWS_INLINE void Store(Complex a, uint32_t* packed) { *packed = static_cast<uint32_t>(a.both); }

KWS_INLINE Complex Add(Complex a, Complex b) { return {__sadd16(a.both, b.both)}; }
KWS_INLINE Complex Sub(Complex a, Complex b) { return {__ssub16(a.both, b.both)}; }
KWS_INLINE Complex AddTimesJ(Complex a, Complex b) { return {__sasx(a.both, b.both)}; }
KWS_INLINE Complex SubTimesJ(Complex a, Complex b) { return {__ssax(a.both, b.both)}; }

// Products have 30 fractional bits: the 16 bits from bit 15 on are the rounded result.
KWS_INLINE Complex Mul(Complex a, Complex b) {
  const int32_t re = __smlsd(a.both, b.both, 1 << 14);
  const int32_t im = __smladx(a.both, b.both, 1 << 14);
  return {dsp::Pack<15>(dsp::ShiftLeft(im, 1), re)};
}

// A factor of 16 fractional bits leaves each result in a high half, ready to be packed.
KWS_INLINE Complex Quarter(Complex a) {
  return {dsp::Pack<16>(__smlatb(a.both, 2 * kQuarter, 1 << 15),
                        __smlabb(a.both, 2 * kQuarter, 1 << 15))};
}

KWS_INLINE Complex Half(Complex a) {
  return {
      dsp::Pack<16>(__smlatb(a.both, 2 * kHalf, 1 << 15), __smlabb(a.both, 2 * kHalf, 1 << 15))};
}

KWS_INLINE Complex HalfOfConjugate(Complex a) {
  const int16x2_t negative = __ssub16(0, a.both);
  return {
      dsp::Pack<16>(__smlatb(negative, 2 * kHalf, 1 << 15), __smlabb(a.both, 2 * kHalf, 1 << 15))};
}

// SMLAW drops 16 bits of a 48-bit product: the factor has one bit more than that, so that adding 1
// and dropping that bit rounds.
KWS_INLINE Complex QuarterOfShifted(Complex a, int shift) {
  const int32_t factor = kQuarter << (shift + 2);
  const int32_t re = __smlawb(factor, a.both, 1);
  const int32_t im = __smlawt(factor, a.both, 1);
  return {dsp::Pack<1>(dsp::ShiftLeft(im, 15), re)};
}

KWS_INLINE uint32_t EnergiesOfHalfSum(Complex a, Complex b) {
  const int16x2_t sum = __shadd16(a.both, b.both);
  return static_cast<uint32_t>(__smuad(sum, sum));
}

// (b - a) / 2, cut off, is as far from zero as (a + 1 - b) / 2.
KWS_INLINE uint32_t EnergiesOfHalfMirror(Complex a, Complex b) {
  const int16x2_t mirror = __shsub16(a.both + (1 << 16), b.both);
  return static_cast<uint32_t>(__smuad(mirror, mirror));
}

// The compiler makes SMULBB and its like of these products.
KWS_INLINE Complex Weigh(Complex samples, Complex weights) {
  const int32_t first = dsp::Low(samples.both) * dsp::Low(weights.both);
  const int32_t second = dsp::High(samples.both) * dsp::High(weights.both);
  return {dsp::Pack<kWindowBits>(dsp::ShiftLeft(second, 16 - kWindowBits), first)};
}

KWS_INLINE Complex WeighMirrored(Complex samples, Complex weights) {
  const int32_t first = dsp::Low(samples.both) * dsp::High(weights.both);
  const int32_t second = dsp::High(samples.both) * dsp::Low(weights.both);
  return {dsp::Pack<kWindowBits>(dsp::ShiftLeft(second, 16 - kWindowBits), first)};
}

// As spectrum.cc has it for others. In assembly, because the compiler runs out of registers: this
// takes all there are.
inline void Stage(uint32_t* work, int size, const uint32_t* twiddle, int stride) {
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
  uint32_t* at = work;
  uint32_t* const end = work + kComplexSize;
  uint32_t* const last = work + size;
  const uint32_t step = static_cast<uint32_t>(stride) * sizeof(uint32_t);
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
      KWS_QUARTER("%[a]") KWS_QUARTER("%[b]") KWS_QUARTER("%[c]") KWS_QUARTER("%[d]")
      KWS_TURN("%[b]", "r4") KWS_TURN("%[c]", "r5") KWS_TURN("%[d]", "r6")
      "sadd16 %[t], %[a], %[c]\n"
      "ssub16 %[c], %[a], %[c]\n"
      "sadd16 %[a], %[b], %[d]\n"
      "ssub16 %[d], %[b], %[d]\n"
      "ssax %[b], %[c], %[d]\n"
      "sasx %[d], %[c], %[d]\n"
      "ssub16 %[c], %[t], %[a]\n"
      "sadd16 %[a], %[t], %[a]\n"
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
#undef KWS_TURN
#undef KWS_QUARTER
}

using Magnitudes = uint32_t;  // of both parts, packed

KWS_INLINE Magnitudes NoMagnitudes() { return 0; }

// SSUB16 notes which parts are not above 0, and SEL takes the negative of those.
KWS_INLINE Magnitudes Join(Magnitudes all, Complex a) {
  const auto negative = static_cast<uint8x4_t>(__ssub16(0, a.both));
  return all | static_cast<uint32_t>(__sel(negative, static_cast<uint8x4_t>(a.both)));
}

KWS_INLINE uint32_t Combined(Magnitudes all) { return (all | all >> 16) & 0xFFFF; }

}  // namespace kws::frontend

#endif  // KWS_FRONTEND_FFT_COMPLEX16_DSP_H_
