// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/x86/dot_avx2_loops.h"

#include "kws/runtime/kernels/loops/x86/avx2.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

#if KWS_MAY_HAVE_AVX2
namespace kws {
namespace avx2 {
namespace {

constexpr int kStep = 16;  // taps at once

KWS_AVX2_INLINE int32_t SumOfLanes(__m256i x) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  return _mm_cvtsi128_si32(sum);
}

// The sums of the lanes of eight registers, as the lanes of one.
KWS_AVX2_INLINE __m256i SumsOfLanes(const __m256i* x) {
  const __m256i low =
      _mm256_hadd_epi32(_mm256_hadd_epi32(x[0], x[1]), _mm256_hadd_epi32(x[2], x[3]));
  const __m256i high =
      _mm256_hadd_epi32(_mm256_hadd_epi32(x[4], x[5]), _mm256_hadd_epi32(x[6], x[7]));
  return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                          _mm256_permute2x128_si256(low, high, 0x31));
}

// Adds the taps after the last whole step.
int32_t Tail(const int8_t* input, const int8_t* filter, int32_t from, int32_t count, int32_t offset,
             int32_t sum) {
  for (int32_t i = from; i < count; ++i) sum = WrappingAdd(sum, (input[i] + offset) * filter[i]);
  return sum;
}

}  // namespace

KWS_AVX2 int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset) {
  const __m256i offsets = _mm256_set1_epi16(static_cast<int16_t>(offset));
  __m256i sum = _mm256_setzero_si256();
  int32_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    const __m256i taps = _mm256_add_epi16(Widen(input + i), offsets);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(taps, Widen(filter + i)));
  }
  return Tail(input, filter, i, count, offset, SumOfLanes(sum));
}

KWS_AVX2 void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
                      int32_t* sums) {
  const __m256i offsets = _mm256_set1_epi16(static_cast<int16_t>(offset));
  __m256i rows[kDotRows];
  for (__m256i& row : rows) row = _mm256_setzero_si256();
  int32_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    const __m256i taps = _mm256_add_epi16(Widen(input + i), offsets);
    for (int k = 0; k < kDotRows; ++k) {
      const __m256i products = _mm256_madd_epi16(taps, Widen(filter + k * count + i));
      rows[k] = _mm256_add_epi32(rows[k], products);
    }
  }
  for (int k = 0; k < kDotRows; ++k) {
    sums[k] = Tail(input, filter + k * count, i, count, offset, SumOfLanes(rows[k]));
  }
}

KWS_AVX2 void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int16_t* to) {
  const __m256i offsets = _mm256_set1_epi16(static_cast<int16_t>(offset));
  int32_t i = 0;
  for (; i + kStep <= count; i += kStep) Store(_mm256_add_epi16(Widen(taps + i), offsets), to + i);
  for (; i < count; ++i) to[i] = static_cast<int16_t>(taps[i] + offset);
}

KWS_AVX2 void MultiplyIm2col(const Filters& filters, const int16_t* columns, int count, int8_t* to,
                             int32_t step) {
  const int32_t taps = filters.taps;
  const int32_t whole = taps / kStep * kStep;
  const int32_t padded = (taps + kStep - 1) / kStep * kStep;
  // Pairs of the last step: an odd one has a value of the next column or after the last, which the
  // weight 0 drops; columns have room for a multiple of four taps.
  const int32_t pairs = (taps - whole + 1) / 2;
  const __m256i tail =
      _mm256_cmpgt_epi32(_mm256_set1_epi32(pairs), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  alignas(32) int16_t weights[kLanes * kMostTaps];
  for (int first = 0; first < filters.count; first += kLanes) {
    const int lanes = filters.count - first < kLanes ? filters.count - first : kLanes;
    for (int k = 0; k < kLanes; ++k) {
      const int8_t* from = filters.weights + (first + k) * taps;
      int16_t* row = weights + k * padded;
      int32_t i = 0;
      if (k < lanes) {
        for (; i < whole; i += kStep) Store(Widen(from + i), row + i);
        for (; i < taps; ++i) row[i] = from[i];
      }
      for (; i < padded; ++i) row[i] = 0;
    }
    const Factors factors = LoadFactors(filters.outputs, first, lanes, filters.bias);
    for (int column = 0; column < count; ++column) {
      const int16_t* values = columns + column * taps;
      __m256i sums[kLanes];
      for (__m256i& sum : sums) sum = _mm256_setzero_si256();
      for (int32_t i = 0; i < whole; i += kStep) {
        const __m256i x = Load(values + i);
        for (int k = 0; k < kLanes; ++k) {
          const __m256i products = _mm256_madd_epi16(x, Load(weights + k * padded + i));
          sums[k] = _mm256_add_epi32(sums[k], products);
        }
      }
      if (pairs > 0) {
        const __m256i x = _mm256_maskload_epi32(reinterpret_cast<const int*>(values + whole), tail);
        for (int k = 0; k < kLanes; ++k) {
          const __m256i products = _mm256_madd_epi16(x, Load(weights + k * padded + whole));
          sums[k] = _mm256_add_epi32(sums[k], products);
        }
      }
      const __m256i outputs = Requantize(SumsOfLanes(sums), factors);
      StoreBytes(ToBytes(outputs, factors.min, factors.max), lanes, to + column * step + first);
    }
  }
}

}  // namespace avx2
}  // namespace kws
#endif
