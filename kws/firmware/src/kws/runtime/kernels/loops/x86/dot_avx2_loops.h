// SPDX-License-Identifier: Apache-2.0
// The loops of loops/dot.h with AVX2.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_X86_DOT_AVX2_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_X86_DOT_AVX2_LOOPS_H_

#include "kws/runtime/kernels/shared/filters.h"

namespace kws {
namespace avx2 {

int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset);
void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums);
void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int16_t* to);

// For up to kMostTaps taps.
constexpr int32_t kMostTaps = 1024;
void MultiplyIm2col(const Filters& filters, const int16_t* columns, int count, int8_t* to,
                    int32_t step);

}  // namespace avx2
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_X86_DOT_AVX2_LOOPS_H_
