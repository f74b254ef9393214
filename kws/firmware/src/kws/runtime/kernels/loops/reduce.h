// SPDX-License-Identifier: Apache-2.0
// The inner loop of MEAN and SUM.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_REDUCE_H_
#define KWS_RUNTIME_KERNELS_LOOPS_REDUCE_H_

#include <cstdint>

namespace kws {

// `sum` plus `count` values that are `stride` apart; 32 bits, wrapping around.
int32_t SumOfValues(const int8_t* values, int32_t count, int32_t stride, int32_t sum);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_REDUCE_H_
