// SPDX-License-Identifier: Apache-2.0
// AVX2, for functions that run only if avx2::in_use. Empty on other targets.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_X86_AVX2_H_
#define KWS_RUNTIME_KERNELS_LOOPS_X86_AVX2_H_

#include "kws/runtime/kernels/loops/processor.h"

#if KWS_MAY_HAVE_AVX2
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/model/flatbuffer.h"

// Functions with AVX2 in a file that is compiled without it.
#define KWS_AVX2 __attribute__((target("avx2")))
#define KWS_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace kws {
namespace avx2 {

constexpr int kLanes = 8;  // int32 in a register

// Requantization of kLanes neighbouring channels, as Outputs::At does it.
struct Factors {
  __m256i bias;
  __m256i multiplier;
  __m256i odd_multiplier;  // of the odd lanes, in the even ones
  __m256i left;
  __m256i right;
  __m256i mask;  // the bits that the right shift drops
  __m256i offset;
  __m128i min;  // int8
  __m128i max;
};

// Of `count` channels (1..kLanes) from `first`, counted from the current one; other lanes are zero.
// `bias`: of channel 0, or null.
KWS_AVX2_INLINE Factors LoadFactors(const Outputs& outputs, int first, int count,
                                    const int32_t* bias) {
  const OutputStage& stage = outputs.stage();
  alignas(32) int32_t biases[kLanes] = {};
  alignas(32) int32_t multipliers[kLanes] = {};
  alignas(32) int32_t shifts[kLanes] = {};
  for (int i = 0; i < count; ++i) {
    const int channel = (first + i) * stage.channel_step;
    if (bias != nullptr) biases[i] = LoadAs<int32_t>(bias + first + i);
    multipliers[i] = outputs.multipliers()[channel];
    shifts[i] = outputs.shifts()[channel];
  }
  const __m256i shift = _mm256_load_si256(reinterpret_cast<const __m256i*>(shifts));
  const __m256i zero = _mm256_setzero_si256();
  Factors factors;
  factors.bias = _mm256_load_si256(reinterpret_cast<const __m256i*>(biases));
  factors.multiplier = _mm256_load_si256(reinterpret_cast<const __m256i*>(multipliers));
  factors.odd_multiplier = _mm256_srli_epi64(factors.multiplier, 32);
  factors.left = _mm256_max_epi32(shift, zero);
  factors.right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
  const __m256i one = _mm256_set1_epi32(1);
  factors.mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, factors.right), one);
  factors.offset = _mm256_set1_epi32(stage.offset);
  factors.min = _mm_set1_epi8(stage.min);
  factors.max = _mm_set1_epi8(stage.max);
  return factors;
}

// RoundingHighMul.
KWS_AVX2_INLINE __m256i HighMul(__m256i x, __m256i even, __m256i odd) {
  const __m256i half = _mm256_set1_epi64x(1 << 30);
  const __m256i a = _mm256_add_epi64(_mm256_mul_epi32(x, even), half);
  const __m256i b = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd), half);
  return _mm256_blend_epi32(_mm256_srli_epi64(a, 31), _mm256_slli_epi64(b, 1), 0xAA);
}

// RoundingDivideByPowerOfTwo; `mask`: 2^right - 1.
KWS_AVX2_INLINE __m256i DivideByPowerOfTwo(__m256i x, __m256i right, __m256i mask) {
  const __m256i negative = _mm256_srai_epi32(x, 31);  // -1
  const __m256i threshold = _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), negative);
  const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(x, mask), threshold);
  return _mm256_sub_epi32(_mm256_srav_epi32(x, right), up);
}

// The outputs of sums without bias, before saturation to int8.
KWS_AVX2_INLINE __m256i Requantize(__m256i sums, const Factors& f) {
  const __m256i x = _mm256_sllv_epi32(_mm256_add_epi32(sums, f.bias), f.left);
  const __m256i scaled = HighMul(x, f.multiplier, f.odd_multiplier);
  return _mm256_add_epi32(DivideByPowerOfTwo(scaled, f.right, f.mask), f.offset);
}

// Saturates eight int32 to an activation's range: int8 in the low half.
KWS_AVX2_INLINE __m128i ToBytes(__m256i values, __m128i min, __m128i max) {
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
  return _mm_min_epi8(_mm_max_epi8(_mm_packs_epi16(words, words), min), max);
}

// Stores the first `count` (1..8) bytes.
KWS_AVX2_INLINE void StoreBytes(__m128i bytes, int count, int8_t* to) {
  if (count == kLanes) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);
  } else {
    int8_t all[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(all), bytes);
    std::memcpy(to, all, static_cast<size_t>(count));
  }
}

// Sixteen int8 as int16.
KWS_AVX2_INLINE __m256i Widen(const int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
KWS_AVX2_INLINE __m256i Load(const int16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
KWS_AVX2_INLINE void Store(__m256i values, int16_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
}

}  // namespace avx2
}  // namespace kws
#endif  // KWS_MAY_HAVE_AVX2

#endif  // KWS_RUNTIME_KERNELS_LOOPS_X86_AVX2_H_
