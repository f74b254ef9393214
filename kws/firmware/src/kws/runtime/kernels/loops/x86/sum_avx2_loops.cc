// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/x86/sum_avx2_loops.h"

#include "kws/runtime/kernels/loops/x86/avx2.h"

#if KWS_MAY_HAVE_AVX2
namespace kws {
namespace avx2 {
namespace {

// RoundingHighWord.
KWS_AVX2_INLINE __m256i HighWord(__m256i x, __m256i factor) {
  const __m256i half = _mm256_set1_epi64x(INT64_C(0x80000000));
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, factor), half);
  const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), factor), half);
  return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

KWS_AVX2_INLINE __m256i Eight(const int8_t* from, int32_t step) {
  if (step == 0) return _mm256_set1_epi32(*from);
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}

}  // namespace

KWS_AVX2 int32_t RunSum(const Sum& sum, const int8_t* exact, const int8_t* other, int32_t count,
                        int8_t* output) {
  const __m256i other_gain = _mm256_set1_epi32(sum.other_gain);
  const __m256i other_bias = _mm256_set1_epi32(sum.other_bias);
  const __m256i multiplier = _mm256_set1_epi32(sum.multiplier);
  const __m256i half = _mm256_set1_epi32(sum.half);
  const __m128i right = _mm_cvtsi32_si128(sum.right);
  const __m256i other_factor = _mm256_set1_epi32(sum.other_factor);
  const __m256i exact_factor = _mm256_set1_epi32(sum.exact_factor);
  const __m256i exact_bias = _mm256_set1_epi32(sum.exact_bias);
  const __m256i output_multiplier = _mm256_set1_epi32(sum.output_multiplier);
  const int bits = sum.output_right + 1;
  const __m256i output_right = _mm256_set1_epi32(bits);
  const __m256i mask = _mm256_set1_epi32(static_cast<int32_t>((1u << bits) - 1));
  const __m256i offset = _mm256_set1_epi32(sum.output_offset);
  const __m128i min = _mm_set1_epi8(INT8_MIN);
  const __m128i max = _mm_set1_epi8(INT8_MAX);
  const int32_t whole = count / kLanes * kLanes;
  for (int32_t i = 0; i < whole; i += kLanes) {
    const __m256i b = Eight(other + i * sum.other_step, sum.other_step);
    const __m256i a = Eight(exact + i * sum.exact_step, sum.exact_step);
    __m256i x = _mm256_add_epi32(_mm256_mullo_epi32(b, other_gain), other_bias);
    x = HighWord(x, multiplier);
    x = _mm256_add_epi32(x, _mm256_add_epi32(_mm256_srai_epi32(x, 31), half));
    x = _mm256_mullo_epi32(_mm256_sra_epi32(x, right), other_factor);
    x = _mm256_add_epi32(x, _mm256_add_epi32(_mm256_mullo_epi32(a, exact_factor), exact_bias));
    x = HighWord(x, output_multiplier);
    x = _mm256_add_epi32(DivideByPowerOfTwo(x, output_right, mask), offset);
    StoreBytes(ToBytes(x, min, max), kLanes, output + i);
  }
  return whole;
}

}  // namespace avx2
}  // namespace kws
#endif
