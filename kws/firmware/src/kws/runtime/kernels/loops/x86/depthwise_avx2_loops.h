// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with AVX2, sixteen channels at a time.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_X86_DEPTHWISE_AVX2_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_X86_DEPTHWISE_AVX2_LOOPS_H_

#include "kws/runtime/kernels/shared/depthwise_rows.h"

namespace kws {
namespace avx2 {

// All outputs of an image. Returns false, and does nothing, for shapes that it does not take: with
// dilation, more than one output channel per input channel (unless there is one input channel), or
// rows too long for its line buffer.
bool RunDepthwise(const DepthwiseRows& work);

}  // namespace avx2
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_X86_DEPTHWISE_AVX2_LOOPS_H_
