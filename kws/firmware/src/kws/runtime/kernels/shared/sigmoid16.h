// SPDX-License-Identifier: Apache-2.0
// The logistic function and tanh of 16-bit numbers, with TFLM's linear interpolation in a table.
#ifndef KWS_RUNTIME_KERNELS_SHARED_SIGMOID16_H_
#define KWS_RUNTIME_KERNELS_SHARED_SIGMOID16_H_

#include <cstdint>

namespace kws {

// 1 / (1 + exp(-x)) of a Q3.12 number, as Q0.15.
int16_t Sigmoid16(int16_t x);

// tanh(x / 3 / 2^12) as Q0.15; |x| < 2^31.
int16_t Tanh16(int32_t x);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_SIGMOID16_H_
