// SPDX-License-Identifier: Apache-2.0
// Complex numbers of two int16 with the roundings of KISS FFT's 16-bit fixed point, which the
// reference features are made with (docs/frontend.md, "FFT").
//
// In memory a number is packed in a uint32_t: low half the real, high half the imaginary part. A
// Complex holds kLanes such numbers that lie side by side, and all its functions work on each.
// The portable version below is the definition. complex16_dsp.h works on both parts at once where
// the core has the DSP extension (Cortex-M4, M7), complex16_sse2.h on four numbers at once on the
// host. All give the same bits; -DKWS_FRONTEND_PORTABLE chooses the definition everywhere.
//
// Sums wrap around like int16_t, as the reference's do. Loud artificial sound does reach that.
#ifndef KWS_FRONTEND_FFT_COMPLEX16_H_
#define KWS_FRONTEND_FFT_COMPLEX16_H_

#include <cstdint>

#include "frontend/always_inline.h"
#include "frontend/params.h"

#if defined(__ARM_FEATURE_DSP) && !defined(KWS_FRONTEND_PORTABLE)
#include "frontend/fft/complex16_dsp.h"
#elif defined(__x86_64__) && !defined(KWS_FRONTEND_PORTABLE)
#include "frontend/fft/complex16_sse2.h"
#else

namespace kws::frontend {

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

// Two samples in each lane, one as each part.
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

// a x b, rounded. Parts of b must not be -32768 (no twiddle's are): nothing overflows 32 bits then.
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

// Half of a's conjugate. The imaginary part is negated first, and -32768 stays what it is.
KWS_INLINE Complex HalfOfConjugate(Complex a) { return Half({a.re, portable::Wrap(-a.im)}); }

// (a x 2^shift) / 4, rounded. Both parts times 2^shift must be in the range of int16_t.
KWS_INLINE Complex QuarterOfShifted(Complex a, int shift) {
  return Quarter({a.re * (1 << shift), a.im * (1 << shift)});
}

// |(a + b) / 2|^2; the parts of the sum have 17 bits before they are halved and cut off.
KWS_INLINE uint32_t EnergiesOfHalfSum(Complex a, Complex b) {
  return portable::Square((a.re + b.re) >> 1) + portable::Square((a.im + b.im) >> 1);
}

// |(a - b)* / 2|^2, likewise: the imaginary part is b's less a's. a.im must be less than 32767.
KWS_INLINE uint32_t EnergiesOfHalfMirror(Complex a, Complex b) {
  return portable::Square((a.re - b.re) >> 1) + portable::Square((b.im - a.im) >> 1);
}

// Two samples in each lane times two weights with kWindowBits fractional bits, cut off. Weights are
// at most 1, so that the results fit in 16 bits.
KWS_INLINE Complex Weigh(Complex samples, Complex weights) {
  return {(samples.re * weights.re) >> kWindowBits, (samples.im * weights.im) >> kWindowBits};
}

// The same with the weights in reverse order, lanes and parts.
KWS_INLINE Complex WeighMirrored(Complex samples, Complex weights) {
  return Weigh(samples, {weights.im, weights.re});
}

// An OR of absolute values; that of -32768 is 0x8000, and no other has that bit.
using Magnitudes = uint32_t;

KWS_INLINE Magnitudes NoMagnitudes() { return 0; }

KWS_INLINE Magnitudes Join(Magnitudes all, Complex a) {
  return all | static_cast<uint32_t>(a.re < 0 ? -a.re : a.re) |
         static_cast<uint32_t>(a.im < 0 ? -a.im : a.im);
}

KWS_INLINE uint32_t Combined(Magnitudes all) { return all; }

}  // namespace kws::frontend

#endif

#ifndef KWS_FRONTEND_FFT_COMPLEX16_SSE2_H_

// What needs nothing but Load and Store where there is one lane.
namespace kws::frontend {

constexpr int kLanes = 1;

// Lane l is packed[l x stride].
KWS_INLINE Complex LoadStrided(const uint32_t* packed, int) { return Load(packed); }

// Lanes in reverse order.
KWS_INLINE Complex Reverse(Complex a) { return a; }

// Energies, one a lane; they are stored like packed numbers.
using Energies = uint32_t;

KWS_INLINE void Store(Energies energies, uint32_t* out) { *out = energies; }
KWS_INLINE Energies Reverse(Energies energies) { return energies; }

// Four numbers a lane.
struct Four {
  Complex a, b, c, d;
};

// 4 x kLanes numbers side by side: lane l gets packed[4 l] to packed[4 l + 3].
KWS_INLINE Four LoadFour(const uint32_t* packed) {
  return {Load(packed), Load(packed + 1), Load(packed + 2), Load(packed + 3)};
}

KWS_INLINE void StoreFour(const Four& x, uint32_t* packed) {
  Store(x.a, packed);
  Store(x.b, packed + 1);
  Store(x.c, packed + 2);
  Store(x.d, packed + 3);
}

}  // namespace kws::frontend

#endif

#endif  // KWS_FRONTEND_FFT_COMPLEX16_H_
