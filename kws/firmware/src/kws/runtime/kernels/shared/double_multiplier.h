// SPDX-License-Identifier: Apache-2.0
// A factor for quantized values from a double, for ops where TFLM computes it from a constant that
// is no float.
#ifndef KWS_RUNTIME_KERNELS_SHARED_DOUBLE_MULTIPLIER_H_
#define KWS_RUNTIME_KERNELS_SHARED_DOUBLE_MULTIPLIER_H_

#include <cstdint>
#include <cstring>

#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {

// TFLM's QuantizeMultiplier of a normal number above 0. Below 2^-32 it is 0.
inline QuantizedMultiplier MultiplierFromDouble(double x) {
  constexpr int kDropped = 22;  // of 53 bits
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const uint64_t fraction = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  uint64_t fixed = (fraction + (uint64_t{1} << (kDropped - 1))) >> kDropped;
  int shift = static_cast<int>(bits >> 52) - 1022;
  if (fixed == uint64_t{1} << 31) {
    fixed /= 2;
    ++shift;
  }
  if (shift < -31) return QuantizedMultiplier{0, 0};
  return QuantizedMultiplier{static_cast<int32_t>(fixed), shift};
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_DOUBLE_MULTIPLIER_H_
