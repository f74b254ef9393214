// SPDX-License-Identifier: Apache-2.0
// loops/complex16.h for cores with Arm's DSP extension: both parts of a number at once.
// Source: Arm C Language Extensions (IHI 0053), "32-bit SIMD intrinsics".
#ifndef KWS_FRONTEND_LOOPS_CORTEX_M4_COMPLEX16_H_
#define KWS_FRONTEND_LOOPS_CORTEX_M4_COMPLEX16_H_

#include <arm_acle.h>

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/params.h"

namespace kws {
namespace frontend {

struct Complex {
  int16x2_t both;
};

namespace dsp {

KWS_INLINE int32_t ShiftLeft(int32_t x, int shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << shift);
}

KWS_INLINE int32_t Low(int16x2_t both) { return static_cast<int16_t>(both); }
KWS_INLINE int32_t High(int16x2_t both) { return both >> 16; }

// The high half of `high`, and bits [shift + 15 : shift] of `low`. PKHTB has no intrinsic.
template <int shift>
KWS_INLINE int16x2_t Pack(int32_t high, int32_t low) {
  int16x2_t packed;
  asm("pkhtb %0, %1, %2, asr %3" : "=r"(packed) : "r"(high), "r"(low), "I"(shift));
  return packed;
}

}  // namespace dsp

KWS_INLINE Complex Load(const uint32_t* packed) { return {static_cast<int16x2_t>(*packed)}; }

KWS_INLINE void Store(Complex a, uint32_t* packed) { *packed = static_cast<uint32_t>(a.both); }

KWS_INLINE Complex Add(Complex a, Complex b) { return {__sadd16(a.both, b.both)}; }
KWS_INLINE Complex Sub(Complex a, Complex b) { return {__ssub16(a.both, b.both)}; }
KWS_INLINE Complex AddTimesJ(Complex a, Complex b) { return {__sasx(a.both, b.both)}; }
KWS_INLINE Complex SubTimesJ(Complex a, Complex b) { return {__ssax(a.both, b.both)}; }

// a x b x -j, rounded. Products have 30 fractional bits: the result is the 16 bits from bit 15 on.
KWS_INLINE Complex MulTimesMinusJ(Complex a, Complex b) {
  const int32_t re = __smladx(a.both, b.both, 1 << 14);
  const int32_t im = (1 << 14) - __smusd(a.both, b.both);
  return {dsp::Pack<15>(dsp::ShiftLeft(im, 1), re)};
}

// With a factor of 16 fractional bits, each result is in a high half, ready for packing.
KWS_INLINE Complex Half(Complex a) {
  return {
      dsp::Pack<16>(__smlatb(a.both, 2 * kHalf, 1 << 15), __smlabb(a.both, 2 * kHalf, 1 << 15))};
}

KWS_INLINE Complex HalfOfConjugate(Complex a) {
  const int16x2_t negative = __ssub16(0, a.both);
  return {
      dsp::Pack<16>(__smlatb(negative, 2 * kHalf, 1 << 15), __smlabb(a.both, 2 * kHalf, 1 << 15))};
}

// SMLAW drops 16 bits of a 48-bit product. The factor has 17 fractional bits, so that adding 1 and
// dropping the last bit rounds.
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

// The truncated (b - a) / 2 has the magnitude of (a + 1 - b) / 2.
KWS_INLINE uint32_t EnergiesOfHalfMirror(Complex a, Complex b) {
  const int16x2_t mirror = __shsub16(a.both + (1 << 16), b.both);
  return static_cast<uint32_t>(__smuad(mirror, mirror));
}

}  // namespace frontend
}  // namespace kws

#include "kws/frontend/loops/portable/one_lane.h"

#endif  // KWS_FRONTEND_LOOPS_CORTEX_M4_COMPLEX16_H_
