// SPDX-License-Identifier: Apache-2.0
// The values of ADD's and SUB's loop.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_SUM_VALUES_H_
#define KWS_RUNTIME_KERNELS_LOOPS_SUM_VALUES_H_

#include <cstdint>

namespace kws {

// In the order of access.
struct Sum {
  int32_t other_step;
  int32_t other_gain;  // 2^left
  int32_t other_bias;  // minus the zero point, likewise
  int32_t multiplier;
  int32_t half;
  int32_t right;
  int32_t exact_step;
  int32_t other_factor;  // twice the sum, so that TFLM's result is its upper word
  int32_t exact_bias;
  int32_t exact_factor;
  int32_t output_multiplier;
  int32_t output_right;   // less one
  int32_t output_bias;    // twice the zero point, plus one to round halves
  int32_t output_offset;  // the zero point
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_SUM_VALUES_H_
