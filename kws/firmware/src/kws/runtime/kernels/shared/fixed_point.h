// SPDX-License-Identifier: Apache-2.0
// Fixed-point arithmetic of quantized kernels, bit-exact with TFLM.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FIXED_POINT_H_
#define KWS_RUNTIME_KERNELS_SHARED_FIXED_POINT_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/arithmetic.h"

namespace kws {

// A real factor as multiplier * 2^(shift - 31), multiplier in [2^30, 2^31) or 0.
struct QuantizedMultiplier {
  int32_t multiplier;
  int32_t shift;
};

// The low 32 bits of the result.
inline int32_t WrappingAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
inline int32_t WrappingShiftLeft(int32_t a, int bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) << bits);
}

// round(x / 2^exponent), halves away from zero; exponent 0 to 31.
inline int32_t RoundingDivideByPowerOfTwo(int32_t x, int exponent) {
  const int32_t mask = static_cast<int32_t>((UINT32_C(1) << exponent) - 1);
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

// x * factor, rounded after the multiplication and after the shift, as in TFLM. `shift`: -31 to 30;
// a left shift may wrap around.
inline int32_t MultiplyByQuantizedMultiplier(int32_t x, int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  return RoundingDivideByPowerOfTwo(RoundingHighMul(WrappingShiftLeft(x, left), multiplier), right);
}

inline int32_t Clamp(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : (x > high ? high : x);
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FIXED_POINT_H_
