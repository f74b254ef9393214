// SPDX-License-Identifier: Apache-2.0
// The loop of loops/sum.h with AVX2.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_X86_SUM_AVX2_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_X86_SUM_AVX2_LOOPS_H_

#include "kws/runtime/kernels/loops/sum_values.h"

namespace kws {
namespace avx2 {

// Outputs before the activation, of as many elements as fill registers: returns how many.
int32_t RunSum(const Sum& sum, const int8_t* exact, const int8_t* other, int32_t count,
               int8_t* output);

}  // namespace avx2
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_X86_SUM_AVX2_LOOPS_H_
