// SPDX-License-Identifier: Apache-2.0
// The parts of loops/sum.h that all processors share.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_SUM_H_
#define KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_SUM_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/arithmetic.h"
#include "kws/runtime/kernels/loops/sum.h"
#include "kws/runtime/kernels/loops/sum_values.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {

inline Sum SumValues(const SumParams& params) {
  const int exact = params.exact;
  const int32_t exact_factor = params.exact_sign * (1 << kSumBits);
  return Sum{
      params.broadcast.steps[1 - exact],
      1 << params.left,
      -params.other_zero * (1 << params.left),
      params.multiplier,
      static_cast<int32_t>(1u << (params.right - 1)),
      params.right,
      params.broadcast.steps[exact],
      params.other_sign * 2,
      -params.exact_zero * exact_factor,
      exact_factor,
      params.output.multiplier,
      -params.output.shift - 1,
      2 * params.output.offset + 1,
      params.output.offset,
  };
}

// Outputs of `count` elements before the activation. Halves are rounded away from zero.
__attribute__((noinline)) inline void SumEach(const Sum& sum, const int8_t* exact,
                                              const int8_t* other, int32_t count, int8_t* output) {
  for (; count > 0; --count, exact += sum.exact_step, other += sum.other_step) {
    int32_t value = RoundingHighWord(*other * sum.other_gain + sum.other_bias, sum.multiplier);
    value += (value >> 31) + sum.half;
    value = (value >> sum.right) * sum.other_factor + *exact * sum.exact_factor + sum.exact_bias;
    value = RoundingHighWord(value, sum.output_multiplier);
    value = RoundingDivideByPowerOfTwo(value, sum.output_right + 1) + sum.output_offset;
    *output++ = static_cast<int8_t>(Clamp(value, INT8_MIN, INT8_MAX));
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_SUM_H_
