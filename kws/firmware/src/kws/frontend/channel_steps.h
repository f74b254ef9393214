// SPDX-License-Identifier: Apache-2.0
// The steps of one channel: root, noise subtraction, gain, logarithm. Inline, since a frame has 40
// channels.
#ifndef KWS_FRONTEND_CHANNEL_STEPS_H_
#define KWS_FRONTEND_CHANNEL_STEPS_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/high_word.h"
#include "kws/frontend/params.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {

// A fraction truncated to kSubtractionBits, with 32 fractional bits.
constexpr uint32_t Fraction(double x) {
  return static_cast<uint32_t>(x * (1 << kSubtractionBits)) << (32 - kSubtractionBits);
}

// Updates the noise estimate (kNoiseBits fractional bits) with a channel's signal and returns it.
// `smoothing` is a Fraction.
KWS_INLINE uint32_t UpdateNoise(uint32_t signal, uint32_t smoothing, uint32_t* noise) {
  // As in the reference, the shift may lose bits of a very loud signal.
  uint64_t sum = static_cast<uint64_t>(signal << kNoiseBits) * smoothing;
  sum += static_cast<uint64_t>(*noise) * (0 - smoothing);  // 1 is 2^32
  return *noise = HighWord(sum);
}

// Updates the noise estimate and returns the signal minus the noise.
KWS_INLINE uint32_t SubtractNoise(uint32_t signal, uint32_t smoothing, uint32_t* noise) {
  const uint32_t scaled_signal = signal << kNoiseBits;
  const uint32_t new_noise = UpdateNoise(signal, smoothing, noise);
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

// A scaled logarithm as an int8 feature, rounded, at most 127: a product with 1 / kDivisor.
template <uint32_t kDivisor>
KWS_INLINE int8_t Feature(uint32_t log) {
  constexpr uint64_t kReciprocal = (uint64_t{1} << 32) / kDivisor + 1;
  const uint32_t steps = HighWord(log * (kFeatureSteps * kReciprocal) + kDivisor / 2 * kReciprocal);
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
