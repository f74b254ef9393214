// Complex numbers of two int16 with the roundings of KISS FFT's 16-bit fixed point, which the
// reference features are made with (docs/frontend.md, "FFT").
//
// In memory a number is packed in a uint32_t: low half the real, high half the imaginary part. The
// portable version is the definition. Where the core has the DSP extension (Cortex-M4, M7), both
// halves are worked on at once; the bits are the same.
//
// Sums wrap around like int16_t, as the reference's do. Loud artificial sound does reach that.
#ifndef KWS_FRONTEND_COMPLEX16_H_
#define KWS_FRONTEND_COMPLEX16_H_

#include <cstdint>

#include "frontend/params.h"

#if defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif

namespace kws::frontend {

// One part of a number, 15 fractional bits: round(value x factor / 2^15).
constexpr int32_t kQuarter = 32767 / 4;
constexpr int32_t kHalf = 32767 / 2;

#if defined(__ARM_FEATURE_DSP)

struct Complex {
  int16x2_t both;
};

inline Complex Unpack(uint32_t packed) { return {static_cast<int16x2_t>(packed)}; }
inline uint32_t Pack(Complex a) { return static_cast<uint32_t>(a.both); }

namespace dsp {

// Bits [shift + 15 : shift] of `low` and the high half of `high`. No intrinsic gives PKHTB.
template <int shift>
inline int16x2_t PackHighHalves(int32_t high, int32_t low) {
  int16x2_t packed;
  asm("pkhtb %0, %1, %2, asr %3" : "=r"(packed) : "r"(high), "r"(low), "I"(shift));
  return packed;
}

// Products have 30 fractional bits: the 16 bits from bit 15 on are the rounded result.
inline int16x2_t PackProducts(int32_t im, int32_t re) {
  return PackHighHalves<15>(static_cast<int32_t>(static_cast<uint32_t>(im) << 1), re);
}

// Products with kWindowBits fractional bits.
inline int16x2_t PackWeighed(int32_t second, int32_t first) {
  return PackHighHalves<kWindowBits>(
      static_cast<int32_t>(static_cast<uint32_t>(second) << (16 - kWindowBits)), first);
}

inline int32_t Low(int16x2_t both) { return static_cast<int16_t>(both); }
inline int32_t High(int16x2_t both) { return both >> 16; }

}  // namespace dsp

inline Complex Add(Complex a, Complex b) { return {__sadd16(a.both, b.both)}; }
inline Complex Sub(Complex a, Complex b) { return {__ssub16(a.both, b.both)}; }
inline Complex AddTimesJ(Complex a, Complex b) { return {__sasx(a.both, b.both)}; }
inline Complex SubTimesJ(Complex a, Complex b) { return {__ssax(a.both, b.both)}; }

inline Complex Mul(Complex a, uint32_t twiddle) {
  const auto w = static_cast<int16x2_t>(twiddle);
  return {dsp::PackProducts(__smladx(a.both, w, 1 << 14), __smlsd(a.both, w, 1 << 14))};
}

// A factor of 16 fractional bits leaves each result in a high half, ready to be packed.
inline Complex Quarter(Complex a) {
  return {dsp::PackHighHalves<16>(__smlatb(a.both, 2 * kQuarter, 1 << 15),
                                  __smlabb(a.both, 2 * kQuarter, 1 << 15))};
}

inline Complex Half(Complex a) {
  return {dsp::PackHighHalves<16>(__smlatb(a.both, 2 * kHalf, 1 << 15),
                                  __smlabb(a.both, 2 * kHalf, 1 << 15))};
}

inline Complex HalfOfConjugate(Complex a) {
  const int16x2_t negative = __ssub16(0, a.both);
  return {dsp::PackHighHalves<16>(__smlatb(negative, 2 * kHalf, 1 << 15),
                                  __smlabb(a.both, 2 * kHalf, 1 << 15))};
}

// SMLAW drops 16 bits of a 48-bit product: the factor has one bit more than that, so that adding 1
// and dropping that bit rounds.
inline Complex QuarterOfShifted(Complex a, int shift) {
  const int32_t factor = kQuarter << (shift + 2);
  const int32_t re = __smlawb(factor, a.both, 1);
  const int32_t im = __smlawt(factor, a.both, 1);
  return {dsp::PackHighHalves<1>(static_cast<int32_t>(static_cast<uint32_t>(im) << 15), re)};
}

inline uint32_t EnergyOfHalfSum(Complex a, Complex b) {
  const int16x2_t sum = __shadd16(a.both, b.both);
  return static_cast<uint32_t>(__smuad(sum, sum));
}

// (b - a) / 2, cut off, is as far from zero as (a + 1 - b) / 2.
inline uint32_t EnergyOfHalfMirror(Complex a, Complex b) {
  const int16x2_t mirror = __shsub16(a.both + (1 << 16), b.both);
  return static_cast<uint32_t>(__smuad(mirror, mirror));
}

// The compiler makes SMULBB and its like of these products. 12 bits are dropped: 4 bits up,
// then 16.
inline Complex Weigh(Complex samples, uint32_t weights) {
  return {dsp::PackWeighed(dsp::High(samples.both) * (static_cast<int32_t>(weights) >> 16),
                           dsp::Low(samples.both) * static_cast<int16_t>(weights))};
}

inline Complex WeighMirrored(Complex samples, uint32_t weights) {
  return {dsp::PackWeighed(dsp::High(samples.both) * static_cast<int16_t>(weights),
                           dsp::Low(samples.both) * (static_cast<int32_t>(weights) >> 16))};
}

// SSUB16 notes which halves are not above 0, and SEL takes the negative of those.
inline uint32_t Magnitude(Complex a) {
  const int16x2_t negative = __ssub16(0, a.both);
  return static_cast<uint32_t>(
      __sel(static_cast<uint8x4_t>(negative), static_cast<uint8x4_t>(a.both)));
}

#else  // portable

struct Complex {
  int32_t re;  // both in the range of int16_t
  int32_t im;
};

namespace portable {

inline int32_t Wrap(int32_t x) { return static_cast<int16_t>(x); }
inline int32_t Round(int32_t product) { return (product + (1 << 14)) >> 15; }
inline uint32_t Square(int32_t x) { return static_cast<uint32_t>(x * x); }

}  // namespace portable

inline Complex Unpack(uint32_t packed) {
  return {static_cast<int16_t>(packed), static_cast<int32_t>(packed) >> 16};
}

inline uint32_t Pack(Complex a) {
  return static_cast<uint16_t>(a.re) | static_cast<uint32_t>(a.im) << 16;
}

inline Complex Add(Complex a, Complex b) {
  return {portable::Wrap(a.re + b.re), portable::Wrap(a.im + b.im)};
}

inline Complex Sub(Complex a, Complex b) {
  return {portable::Wrap(a.re - b.re), portable::Wrap(a.im - b.im)};
}

// a + j b
inline Complex AddTimesJ(Complex a, Complex b) {
  return {portable::Wrap(a.re - b.im), portable::Wrap(a.im + b.re)};
}

// a - j b
inline Complex SubTimesJ(Complex a, Complex b) {
  return {portable::Wrap(a.re + b.im), portable::Wrap(a.im - b.re)};
}

// a x twiddle, rounded. Parts of a twiddle are never -32768, so that nothing overflows 32 bits.
inline Complex Mul(Complex a, uint32_t twiddle) {
  const Complex w = Unpack(twiddle);
  return {portable::Wrap(portable::Round(a.re * w.re - a.im * w.im)),
          portable::Wrap(portable::Round(a.re * w.im + a.im * w.re))};
}

// a / 4, rounded. The factor is cut off, a little less than a quarter, in the reference too.
inline Complex Quarter(Complex a) {
  return {portable::Round(a.re * kQuarter), portable::Round(a.im * kQuarter)};
}

// a / 2, likewise.
inline Complex Half(Complex a) {
  return {portable::Round(a.re * kHalf), portable::Round(a.im * kHalf)};
}

// Half of a's conjugate. The imaginary part is negated first, and -32768 stays what it is.
inline Complex HalfOfConjugate(Complex a) { return Half({a.re, portable::Wrap(-a.im)}); }

// (a x 2^shift) / 4, rounded. Both parts times 2^shift must be in the range of int16_t.
inline Complex QuarterOfShifted(Complex a, int shift) {
  return Quarter({a.re * (1 << shift), a.im * (1 << shift)});
}

// |(a + b) / 2|^2; the parts of the sum have 17 bits before they are halved and cut off.
inline uint32_t EnergyOfHalfSum(Complex a, Complex b) {
  return portable::Square((a.re + b.re) >> 1) + portable::Square((a.im + b.im) >> 1);
}

// |(a - b)* / 2|^2, likewise: the imaginary part is b's less a's. a.im must be less than 32767.
inline uint32_t EnergyOfHalfMirror(Complex a, Complex b) {
  return portable::Square((a.re - b.re) >> 1) + portable::Square((b.im - a.im) >> 1);
}

// Two samples, one as each part, times a pair of weights with kWindowBits fractional bits, cut off.
// Weights are at most 1, so that the results fit in 16 bits.
inline Complex Weigh(Complex samples, uint32_t weights) {
  const Complex w = Unpack(weights);
  return {(samples.re * w.re) >> kWindowBits, (samples.im * w.im) >> kWindowBits};
}

// The same with the two weights exchanged.
inline Complex WeighMirrored(Complex samples, uint32_t weights) {
  const Complex w = Unpack(weights);
  return {(samples.re * w.im) >> kWindowBits, (samples.im * w.re) >> kWindowBits};
}

// Absolute values of both parts, packed. That of -32768 is 0x8000, and no other has that bit.
inline uint32_t Magnitude(Complex a) {
  return static_cast<uint32_t>(a.re < 0 ? -a.re : a.re) |
         static_cast<uint32_t>(a.im < 0 ? -a.im : a.im) << 16;
}

#endif

}  // namespace kws::frontend

#endif  // KWS_FRONTEND_COMPLEX16_H_
