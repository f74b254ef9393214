// SPDX-License-Identifier: Apache-2.0
// The loop of ADD and SUB. The input with the larger scale (the first of equal scales) has the
// exact factor 1/2; only the other input is multiplied.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_SUM_H_
#define KWS_RUNTIME_KERNELS_LOOPS_SUM_H_

#include <cstdint>

#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/rescale.h"

namespace kws {

constexpr int kSumBits = 20;

struct alignas(4) SumParams {
  Broadcast broadcast;
  RescaleParams output;  // shifts to the right
  int32_t multiplier;    // of the other input
  int16_t exact_zero;
  int16_t other_zero;
  uint8_t exact;      // which input, 0 or 1
  uint8_t left;       // shift of the other input before the multiplication
  uint8_t right;      // and after it, at least 1
  int8_t exact_sign;  // 1, or -1 where it is subtracted
  int8_t other_sign;
};

// A BinaryRun.
void RunSum(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_SUM_H_
