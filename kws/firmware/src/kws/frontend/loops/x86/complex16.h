// SPDX-License-Identifier: Apache-2.0
// loops/complex16.h for 64-bit x86 hosts: four numbers at once.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (PMADDWD, ...).
#ifndef KWS_FRONTEND_LOOPS_X86_COMPLEX16_H_
#define KWS_FRONTEND_LOOPS_X86_COMPLEX16_H_

#include <emmintrin.h>

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/params.h"

namespace kws {
namespace frontend {

struct Complex {
  __m128i parts;  // eight int16: re, im, re, im, ...
};

constexpr int kLanes = 4;

namespace sse2 {

// The low halves of `re` and the high halves of `im`, both int32 results.
KWS_INLINE __m128i Pack(__m128i re, __m128i im) {
  const __m128i low = _mm_set1_epi32(0xFFFF);
  return _mm_or_si128(_mm_and_si128(re, low), _mm_andnot_si128(low, im));
}

// Each part x factor / 2^15, rounded: PMADDWD adds the rounding as a second product.
KWS_INLINE __m128i MulRounded(__m128i parts, int32_t factor) {
  const __m128i one = _mm_set1_epi16(1);
  const __m128i factors = _mm_set1_epi32(factor | (1 << 14) << 16);
  const __m128i low = _mm_madd_epi16(_mm_unpacklo_epi16(parts, one), factors);
  const __m128i high = _mm_madd_epi16(_mm_unpackhi_epi16(parts, one), factors);
  return _mm_packs_epi32(_mm_srai_epi32(low, 15), _mm_srai_epi32(high, 15));
}

KWS_INLINE __m128i SwapParts(__m128i parts) {
  return _mm_or_si128(_mm_slli_epi32(parts, 16), _mm_srli_epi32(parts, 16));
}

// Negates the parts selected by the mask. -32768 remains -32768.
KWS_INLINE __m128i Negate(__m128i parts, uint32_t mask) {
  const __m128i ones = _mm_set1_epi32(static_cast<int32_t>(mask));
  return _mm_sub_epi16(_mm_xor_si128(parts, ones), ones);
}

constexpr uint32_t kRealParts = 0x0000FFFF;
constexpr uint32_t kImaginaryParts = 0xFFFF0000;

KWS_INLINE __m128i* Pointer(uint32_t* packed) { return reinterpret_cast<__m128i*>(packed); }

}  // namespace sse2

KWS_INLINE Complex Load(const uint32_t* packed) {
  return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(packed))};
}

KWS_INLINE Complex LoadStrided(const uint32_t* packed, int stride) {
  const auto lane = [packed, stride](int l) { return static_cast<int32_t>(packed[l * stride]); };
  return {_mm_set_epi32(lane(3), lane(2), lane(1), lane(0))};
}

KWS_INLINE Complex LoadSamples(const int16_t* samples) {
  return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(samples))};
}

KWS_INLINE void Store(Complex a, uint32_t* packed) {
  _mm_storeu_si128(sse2::Pointer(packed), a.parts);
}

KWS_INLINE Complex Reverse(Complex a) {
  return {_mm_shuffle_epi32(a.parts, _MM_SHUFFLE(0, 1, 2, 3))};
}

KWS_INLINE Complex Add(Complex a, Complex b) { return {_mm_add_epi16(a.parts, b.parts)}; }
KWS_INLINE Complex Sub(Complex a, Complex b) { return {_mm_sub_epi16(a.parts, b.parts)}; }

KWS_INLINE Complex AddTimesJ(Complex a, Complex b) {
  const __m128i turned = sse2::Negate(sse2::SwapParts(b.parts), sse2::kRealParts);
  return {_mm_add_epi16(a.parts, turned)};
}

KWS_INLINE Complex SubTimesJ(Complex a, Complex b) {
  const __m128i turned = sse2::Negate(sse2::SwapParts(b.parts), sse2::kRealParts);
  return {_mm_sub_epi16(a.parts, turned)};
}

KWS_INLINE Complex Mul(Complex a, Complex b) {
  const __m128i rounding = _mm_set1_epi32(1 << 14);
  const __m128i conjugate = sse2::Negate(b.parts, sse2::kImaginaryParts);
  const __m128i re = _mm_add_epi32(_mm_madd_epi16(a.parts, conjugate), rounding);
  const __m128i im = _mm_add_epi32(_mm_madd_epi16(a.parts, sse2::SwapParts(b.parts)), rounding);
  return {sse2::Pack(_mm_srai_epi32(re, 15), _mm_slli_epi32(im, 1))};
}

KWS_INLINE Complex Quarter(Complex a) { return {sse2::MulRounded(a.parts, kQuarter)}; }
KWS_INLINE Complex Half(Complex a) { return {sse2::MulRounded(a.parts, kHalf)}; }

KWS_INLINE Complex HalfOfConjugate(Complex a) {
  return Half({sse2::Negate(a.parts, sse2::kImaginaryParts)});
}

KWS_INLINE Complex QuarterOfShifted(Complex a, int shift) {
  return Quarter({_mm_sll_epi16(a.parts, _mm_cvtsi32_si128(shift))});
}

using Energies = Complex;  // four uint32

// The truncated (a + b) / 2 in 16 bits: the common bits, plus half of the different bits.
KWS_INLINE Energies EnergiesOfHalfSum(Complex a, Complex b) {
  const __m128i common = _mm_and_si128(a.parts, b.parts);
  const __m128i others = _mm_srai_epi16(_mm_xor_si128(a.parts, b.parts), 1);
  const __m128i sum = _mm_add_epi16(common, others);
  return {_mm_madd_epi16(sum, sum)};
}

KWS_INLINE Energies EnergiesOfHalfMirror(Complex a, Complex b) {
  const __m128i imaginary = _mm_set1_epi32(static_cast<int32_t>(sse2::kImaginaryParts));
  const __m128i flip = _mm_and_si128(_mm_xor_si128(a.parts, b.parts), imaginary);
  const __m128i x = _mm_xor_si128(a.parts, flip);  // a.re, b.im
  const __m128i y = _mm_xor_si128(b.parts, flip);  // b.re, a.im
  // The truncated (x - y) / 2: the bits only in x, minus half of the different bits.
  const __m128i differ = _mm_xor_si128(x, y);
  const __m128i half = _mm_srai_epi16(differ, 1);
  const __m128i mirror = _mm_sub_epi16(half, _mm_andnot_si128(x, y));
  return {_mm_madd_epi16(mirror, mirror)};
}

KWS_INLINE Complex Weigh(Complex samples, Complex weights) {
  const __m128i low = _mm_mullo_epi16(samples.parts, weights.parts);
  const __m128i high = _mm_mulhi_epi16(samples.parts, weights.parts);
  return {_mm_or_si128(_mm_srli_epi16(low, kWindowBits), _mm_slli_epi16(high, 16 - kWindowBits))};
}

KWS_INLINE Complex WeighMirrored(Complex samples, Complex weights) {
  return Weigh(samples, Reverse({sse2::SwapParts(weights.parts)}));
}

using Magnitudes = __m128i;

KWS_INLINE Magnitudes NoMagnitudes() { return _mm_setzero_si128(); }

KWS_INLINE Magnitudes Join(Magnitudes all, Complex a) {
  const __m128i negative = _mm_sub_epi16(_mm_setzero_si128(), a.parts);
  return _mm_or_si128(all, _mm_max_epi16(a.parts, negative));
}

KWS_INLINE uint32_t Combined(Magnitudes all) {
  all = _mm_or_si128(all, _mm_srli_si128(all, 8));
  all = _mm_or_si128(all, _mm_srli_si128(all, 4));
  const auto pair = static_cast<uint32_t>(_mm_cvtsi128_si32(all));
  return (pair | pair >> 16) & 0xFFFF;
}

struct Four {
  Complex a, b, c, d;
};

KWS_INLINE Four Transpose(const Four& x) {
  const __m128i ab_low = _mm_unpacklo_epi32(x.a.parts, x.b.parts);
  const __m128i cd_low = _mm_unpacklo_epi32(x.c.parts, x.d.parts);
  const __m128i ab_high = _mm_unpackhi_epi32(x.a.parts, x.b.parts);
  const __m128i cd_high = _mm_unpackhi_epi32(x.c.parts, x.d.parts);
  return {{_mm_unpacklo_epi64(ab_low, cd_low)},
          {_mm_unpackhi_epi64(ab_low, cd_low)},
          {_mm_unpacklo_epi64(ab_high, cd_high)},
          {_mm_unpackhi_epi64(ab_high, cd_high)}};
}

KWS_INLINE Four LoadFour(const uint32_t* packed) {
  return Transpose({Load(packed), Load(packed + 4), Load(packed + 8), Load(packed + 12)});
}

KWS_INLINE void StoreFour(const Four& x, uint32_t* packed) {
  const Four rows = Transpose(x);
  Store(rows.a, packed);
  Store(rows.b, packed + 4);
  Store(rows.c, packed + 8);
  Store(rows.d, packed + 12);
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_X86_COMPLEX16_H_
