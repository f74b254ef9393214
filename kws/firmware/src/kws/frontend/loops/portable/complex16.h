// SPDX-License-Identifier: Apache-2.0
// The definition of loops/complex16.h: one number at a time.
#ifndef KWS_FRONTEND_LOOPS_PORTABLE_COMPLEX16_H_
#define KWS_FRONTEND_LOOPS_PORTABLE_COMPLEX16_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/params.h"

namespace kws {
namespace frontend {

struct Complex {
  int32_t re;  // both in the range of int16_t
  int32_t im;
};

namespace portable {

KWS_INLINE int32_t Wrap(int32_t x) { return static_cast<int16_t>(x); }
KWS_INLINE int32_t Round(int32_t product) { return (product + (1 << 14)) >> 15; }
KWS_INLINE uint32_t Square(int32_t x) { return static_cast<uint32_t>(x * x); }

}  // namespace portable

KWS_INLINE Complex Load(const uint32_t* packed) {
  return {static_cast<int16_t>(*packed), static_cast<int32_t>(*packed) >> 16};
}

// Two samples per lane, as real and imaginary part.
KWS_INLINE Complex LoadSamples(const int16_t* samples) { return {samples[0], samples[1]}; }

KWS_INLINE void Store(Complex a, uint32_t* packed) {
  *packed = static_cast<uint16_t>(a.re) | static_cast<uint32_t>(a.im) << 16;
}

KWS_INLINE Complex Add(Complex a, Complex b) {
  return {portable::Wrap(a.re + b.re), portable::Wrap(a.im + b.im)};
}

KWS_INLINE Complex Sub(Complex a, Complex b) {
  return {portable::Wrap(a.re - b.re), portable::Wrap(a.im - b.im)};
}

// a + j b
KWS_INLINE Complex AddTimesJ(Complex a, Complex b) {
  return {portable::Wrap(a.re - b.im), portable::Wrap(a.im + b.re)};
}

// a - j b
KWS_INLINE Complex SubTimesJ(Complex a, Complex b) {
  return {portable::Wrap(a.re + b.im), portable::Wrap(a.im - b.re)};
}

// a x b, rounded. Parts of b must not be -32768, which no twiddle has, so that 32 bits suffice.
KWS_INLINE Complex Mul(Complex a, Complex b) {
  return {portable::Wrap(portable::Round(a.re * b.re - a.im * b.im)),
          portable::Wrap(portable::Round(a.re * b.im + a.im * b.re))};
}

// a / 4, rounded.
KWS_INLINE Complex Quarter(Complex a) {
  return {portable::Round(a.re * kQuarter), portable::Round(a.im * kQuarter)};
}

// a / 2, rounded.
KWS_INLINE Complex Half(Complex a) {
  return {portable::Round(a.re * kHalf), portable::Round(a.im * kHalf)};
}

// a's conjugate / 2. The imaginary part is negated first; -32768 remains -32768.
KWS_INLINE Complex HalfOfConjugate(Complex a) { return Half({a.re, portable::Wrap(-a.im)}); }

// (a x 2^shift) / 4, rounded. Both parts times 2^shift must be in the range of int16_t.
KWS_INLINE Complex QuarterOfShifted(Complex a, int shift) {
  return Quarter({a.re * (1 << shift), a.im * (1 << shift)});
}

// |(a + b) / 2|^2; the 17-bit parts of the sum are halved and truncated.
KWS_INLINE uint32_t EnergiesOfHalfSum(Complex a, Complex b) {
  return portable::Square((a.re + b.re) >> 1) + portable::Square((a.im + b.im) >> 1);
}

// |(a - b)* / 2|^2, likewise: the imaginary part is b.im - a.im. a.im must be less than 32767.
KWS_INLINE uint32_t EnergiesOfHalfMirror(Complex a, Complex b) {
  return portable::Square((a.re - b.re) >> 1) + portable::Square((b.im - a.im) >> 1);
}

// Two samples per lane times two weights with kWindowBits fractional bits, truncated. Weights are
// at most 1, so the results have 16 bits.
KWS_INLINE Complex Weigh(Complex samples, Complex weights) {
  return {(samples.re * weights.re) >> kWindowBits, (samples.im * weights.im) >> kWindowBits};
}

// The same with the weights reversed, lanes and parts.
KWS_INLINE Complex WeighMirrored(Complex samples, Complex weights) {
  return Weigh(samples, {weights.im, weights.re});
}

// An OR of absolute values; only -32768 sets the bit 0x8000.
using Magnitudes = uint32_t;

KWS_INLINE Magnitudes NoMagnitudes() { return 0; }

KWS_INLINE Magnitudes Join(Magnitudes all, Complex a) {
  return all | static_cast<uint32_t>(a.re < 0 ? -a.re : a.re) |
         static_cast<uint32_t>(a.im < 0 ? -a.im : a.im);
}

KWS_INLINE uint32_t Combined(Magnitudes all) { return all; }

}  // namespace frontend
}  // namespace kws

#include "kws/frontend/loops/portable/one_lane.h"

#endif  // KWS_FRONTEND_LOOPS_PORTABLE_COMPLEX16_H_
