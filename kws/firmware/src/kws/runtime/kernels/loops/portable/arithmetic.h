// SPDX-License-Identifier: Apache-2.0
// The definition of loops/arithmetic.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_ARITHMETIC_H_
#define KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_ARITHMETIC_H_

#include <cstdint>

namespace kws {
namespace portable {

// round(a * b / 2^31), halves towards +infinity; b >= 0 or a > INT32_MIN. Equal to gemmlowp's
// SaturatingRoundingDoublingHighMul.
inline int32_t RoundingHighMul(int32_t a, int32_t b) {
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (1 << 30)) >> 31);
}

// The same for |a| < 2^30. For a larger one the result depends on the processor, but has the same
// sign and is large.
inline int32_t RoundingHighMulOfSmall(int32_t a, int32_t b) { return RoundingHighMul(a, b); }

// round(a * b / 2^32), halves towards +infinity.
inline int32_t RoundingHighWord(int32_t a, int32_t b) {
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + INT64_C(0x80000000)) >> 32);
}

inline int32_t SaturateToInt8(int32_t x) {
  return x < INT8_MIN ? INT8_MIN : (x > INT8_MAX ? INT8_MAX : x);
}

}  // namespace portable
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_ARITHMETIC_H_
