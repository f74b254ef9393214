// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the Cortex-M0, whose multiplication gives the low 32 bits. Empty on other targets.
// Source: ARM DDI 0419E (ARMv6-M), chapter A6.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_M0_M0_H_
#define KWS_RUNTIME_KERNELS_LOOPS_M0_M0_H_

#include "kws/runtime/kernels/loops/processor.h"

#if KWS_HAVE_M0
#include <cstdint>

namespace kws {
namespace m0 {

// a * b as 2^32 * high + 2^16 * middle + something from 0 to 2^16 - 1. No step overflows.
struct Product {
  int32_t high;
  int32_t middle;
};
__attribute__((always_inline)) inline Product Multiply(int32_t a, int32_t b) {
  const uint32_t a_low = static_cast<uint32_t>(a) & 0xffffu;
  const uint32_t b_low = static_cast<uint32_t>(b) & 0xffffu;
  const int32_t a_high = a >> 16;
  const int32_t b_high = b >> 16;
  const int32_t one =
      a_high * static_cast<int32_t>(b_low) + static_cast<int32_t>(a_low * b_low >> 16);
  const int32_t other = static_cast<int32_t>(a_low) * b_high + (one & 0xffff);
  return Product{a_high * b_high + (one >> 16), other};
}

// round(a * b / 2^31), halves towards +infinity.
inline int32_t RoundingHighMul(int32_t a, int32_t b) {
  const Product product = Multiply(a, b);
  return static_cast<int32_t>(2 * static_cast<uint32_t>(product.high)) +
         (((product.middle >> 14) + 1) >> 1);
}

inline int32_t RoundingHighMulOfSmall(int32_t a, int32_t b) { return RoundingHighMul(a, b); }

// round(a * b / 2^32), halves towards +infinity.
inline int32_t RoundingHighWord(int32_t a, int32_t b) {
  const Product product = Multiply(a, b);
  return product.high + (((product.middle >> 15) + 1) >> 1);
}

// Requantization of one channel by a shift to the right; the assembly reads these members.
struct Requantization {
  int32_t low;      // 16 bits of the multiplier
  int32_t high;     // the others
  int32_t halving;  // bits of the shift, less one
  int32_t max;
  int32_t offset;
  int32_t min;
  int32_t step;  // bytes between outputs
};
// The outputs of the sums up to `end`, at least one.
void Requantize(const Requantization& by, const int32_t* sums, const int32_t* end, int8_t* to);

}  // namespace m0
}  // namespace kws
#endif  // KWS_HAVE_M0

#endif  // KWS_RUNTIME_KERNELS_LOOPS_M0_M0_H_
