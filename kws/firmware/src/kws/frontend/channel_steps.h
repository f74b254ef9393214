// SPDX-License-Identifier: Apache-2.0
// The steps of one channel: root, noise subtraction, gain, logarithm. Inline, since a frame has 40
// channels.
#ifndef KWS_FRONTEND_CHANNEL_STEPS_H_
#define KWS_FRONTEND_CHANNEL_STEPS_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/params.h"
#include "kws/frontend/tables.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kws {
namespace frontend {

// The result of a product with a fraction of 32 fractional bits.
constexpr uint32_t HighWord(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// A fraction truncated to kSubtractionBits, with 32 fractional bits.
constexpr uint32_t Fraction(double x) {
  return static_cast<uint32_t>(x * (1 << kSubtractionBits)) << (32 - kSubtractionBits);
}

#if defined(__arm__) && defined(__ARM_FP) && !defined(KWS_FRONTEND_PORTABLE)

// Rounded square root of x < 2^48; for x < 2^32 at most 65535, as in the reference. The FPU's
// result has 24 bits and is off by at most 2.
KWS_INLINE uint32_t RoundedSqrt(uint64_t x) {
  const float value = static_cast<float>(HighWord(x)) * 4294967296.0f +
                      static_cast<float>(static_cast<uint32_t>(x));
  float approximate;
  float integer;
  asm("vsqrt.f32 %0, %1" : "=t"(approximate) : "t"(value));
  asm("vcvtr.u32.f32 %0, %1" : "=t"(integer) : "t"(approximate));
  uint32_t root;
  asm("vmov %0, %1" : "=r"(root) : "t"(integer));
  // The correct root has root (root - 1) < x <= root (root + 1).
  auto above = static_cast<int32_t>(x - static_cast<uint64_t>(root) * (root - 1));
  if (__builtin_expect(above <= 0, false)) {
    if (root == 0) return 0;
    do {
      --root;
      above += static_cast<int32_t>(2 * root);
    } while (above <= 0);
  }
  while (__builtin_expect(above > static_cast<int32_t>(2 * root), false)) {
    above -= static_cast<int32_t>(2 * root);
    ++root;
  }
  return HighWord(x) == 0 && root > 0xFFFF ? 0xFFFF : root;
}

#elif defined(__x86_64__) && !defined(KWS_FRONTEND_PORTABLE)

// Rounded square root of x < 2^48; for x < 2^32 at most 65535, as in the reference. A double
// represents x exactly, and its root precisely enough to round: halves are at least 2^-27 away.
KWS_INLINE uint32_t RoundedSqrt(uint64_t x) {
  const __m128d value = _mm_cvtsi64_sd(_mm_setzero_pd(), static_cast<int64_t>(x));
  const __m128d half = _mm_set_sd(0.5);
  const auto root =
      static_cast<uint32_t>(_mm_cvttsd_si32(_mm_add_sd(_mm_sqrt_sd(value, value), half)));
  return HighWord(x) == 0 && root > 0xFFFF ? 0xFFFF : root;
}

#else  // portable

// value = root^2 + rest
struct Root {
  uint32_t root;
  int32_t rest;
};

// If the root is one too large, rest is negative.
KWS_INLINE Root Corrected(uint32_t root, int32_t rest) {
  if (rest >= 0) return {root, rest};
  return {root - 1, rest + static_cast<int32_t>(2 * root - 1)};
}

// Extends a root by 8 bits, for 16 more bits of the value: the new bits are the rest divided by
// twice the root, or one less (Zimmermann, "Karatsuba Square Root", 1999).
KWS_INLINE Root Extended(Root high, uint32_t next_bits) {
  const uint32_t dividend = (static_cast<uint32_t>(high.rest) << 8) | (next_bits >> 8);
  const uint32_t quotient = dividend / (2 * high.root);
  const uint32_t remainder = dividend - quotient * (2 * high.root);
  return Corrected(
      (high.root << 8) + quotient,
      static_cast<int32_t>(((remainder << 8) | (next_bits & 0xFF)) - quotient * quotient));
}

// Rounded square root of x < 2^48; for x < 2^32 at most 65535, as in the reference.
KWS_INLINE uint32_t RoundedSqrt(uint64_t x) {
  if (x == 0) return 0;
  // Shift by an even number of bits, so that the value has 47 or 48 bits.
  const int shift = (__builtin_clzll(x) - 16) & ~1;
  const uint64_t value = x << shift;
  const auto high = static_cast<uint32_t>(value >> 16);
  const uint32_t start = kRootStart[(high >> 24) - 64];
  Root root = Corrected(start, static_cast<int32_t>((high >> 16) - start * start));
  root = Extended(root, high & 0xFFFF);
  root = Extended(root, static_cast<uint32_t>(value) & 0xFFFF);
  if (shift == 0) return root.root + (static_cast<uint32_t>(root.rest) > root.root ? 1 : 0);
  // The root has shift / 2 fractional bits; the first of them rounds up.
  const int fraction_bits = shift / 2;
  const uint32_t rounded = (root.root + (1u << (fraction_bits - 1))) >> fraction_bits;
  return HighWord(x) == 0 && rounded > 0xFFFF ? 0xFFFF : rounded;
}

#endif

// Updates the noise estimate (kNoiseBits fractional bits) with a channel's signal and returns the
// signal minus the noise. `smoothing` is a Fraction.
KWS_INLINE uint32_t SubtractNoise(uint32_t signal, uint32_t smoothing, uint32_t* noise) {
  // As in the reference, the shift may lose bits of a very loud signal.
  const uint32_t scaled_signal = signal << kNoiseBits;
  uint64_t sum = static_cast<uint64_t>(scaled_signal) * smoothing;
  sum += static_cast<uint64_t>(*noise) * (0 - smoothing);  // 1 is 2^32
  const uint32_t new_noise = HighWord(sum);
  *noise = new_noise;
  const uint32_t above_noise = scaled_signal > new_noise ? scaled_signal - new_noise : 0;
  const uint32_t subtracted = above_noise >> kNoiseBits;
  constexpr uint32_t kFloor = Fraction(kMinSignalRemaining);
  const uint32_t floor = HighWord(static_cast<uint64_t>(signal) * kFloor);
  return subtracted > floor ? subtracted : floor;
}

// The gain for a noise estimate: kGainBits fractional bits.
KWS_INLINE uint32_t GainFor(uint32_t noise) {
  const int zeros = noise == 0 ? 32 : __builtin_clz(noise);
  const GainSegment& segment = kGain.data()[32 - zeros];
  // The 10 bits below the highest; irrelevant for noise = 0, whose segment is flat.
  const auto fraction = static_cast<int32_t>(((noise << (zeros & 31)) >> 21) & 0x3FF);
  const int32_t slope = ((segment.curve * fraction) >> 5) + segment.slope * 32;
  return static_cast<uint32_t>(segment.start + ((slope * fraction + (1 << 14)) >> 15));
}

// PCAN's shrink function of s = signal x gain: s^2 / 4 below s = 2, else s - 1. `snr` has kSnrBits
// fractional bits, the result kShrunkBits.
KWS_INLINE uint32_t Shrink(uint32_t snr) {
  if (snr < (2u << kSnrBits)) return (snr * snr) >> (2 + 2 * kSnrBits - kShrunkBits);
  return (snr >> (kSnrBits - kShrunkBits)) - (1u << kShrunkBits);
}

// kLogScale ln(2) log2 for a log2 with 16 fractional bits, rounded to 16 fractional bits and then
// to an integer: one product with ln(2) = 45426 / 2^16 and both roundings.
KWS_INLINE uint32_t NaturalLog(uint32_t log2) {
  static_assert(kLogScale == 64, "the shifts are for this scale");
  constexpr uint64_t kLn2 = 45426;
  constexpr uint64_t kRounding = (1 << 15) + (1 << 25);
  return HighWord(log2 * (kLn2 << 6) + (kRounding << 6));
}

// A scaled logarithm as an int8 feature, rounded, at most 127: a product with 1 / kFeatureDivisor.
KWS_INLINE int8_t Feature(uint32_t log) {
  constexpr uint64_t kReciprocal = (uint64_t{1} << 32) / kFeatureDivisor + 1;
  const uint32_t steps =
      HighWord(log * (kFeatureSteps * kReciprocal) + kFeatureDivisor / 2 * kReciprocal);
  return static_cast<int8_t>(static_cast<int32_t>(steps < 255 ? steps : 255) - 128);
}

// kLogScale ln(x 2^kCorrectionBits); 0 for 0.
KWS_INLINE uint32_t ScaledLog(uint32_t x) {
  const uint32_t scaled = x << kCorrectionBits;
  if (scaled == 0) return 0;
  // log2 with 16 fractional bits: linear between powers of two, plus a correction.
  const int zeros = __builtin_clz(scaled);
  const uint32_t fraction = (scaled << zeros << 1) >> 16;
  const uint32_t segment = fraction >> 9;
  const int32_t start = kLogCorrection[segment];
  const int32_t end = kLogCorrection[segment + 1];
  const int32_t correction = start + (((end - start) * static_cast<int32_t>(fraction & 511)) >> 16);
  const uint32_t log2 =
      (static_cast<uint32_t>(31 - zeros) << 16) + fraction + static_cast<uint32_t>(correction);
  return NaturalLog(log2);
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_CHANNEL_STEPS_H_
