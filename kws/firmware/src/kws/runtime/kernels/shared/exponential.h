// SPDX-License-Identifier: Apache-2.0
// exp(x) for x <= 0 and 1 / (1 + x), in the fixed-point arithmetic of gemmlowp that TFLM uses.
// Qm.n: m integer bits, n fraction bits, and a sign.
#ifndef KWS_RUNTIME_KERNELS_SHARED_EXPONENTIAL_H_
#define KWS_RUNTIME_KERNELS_SHARED_EXPONENTIAL_H_

#include <cstdint>

namespace kws {

// exp of a number in (-32, 0] with 26 bits of fraction, or in (-16, 0] with 27, as Q0.31.
int32_t ExpOfNegative(int32_t x, int fraction_bits);

// 1 / (1 + x) of a Q0.31 number in [0, 1), as Q0.31.
int32_t ReciprocalOfOnePlus(int32_t x);

// (1 - x) / (1 + x) likewise.
int32_t OneMinusOverOnePlus(int32_t x);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_EXPONENTIAL_H_
