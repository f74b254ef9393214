// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with a single output and one filter per channel, as in models that process
// frame by frame: four channels at a time, without a line buffer.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_ONE_OUTPUT_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_ONE_OUTPUT_LOOPS_H_

#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"

namespace kws {

inline bool IsOneOutput(const Sides& sides) {
  return sides.multiplier == 1 && sides.channels % kFour == 0 && sides.rows.out == 1 &&
         sides.columns.out == 1;
}

// The output of an image, which may overlap the input. Requires fast requantization.
void RunOneOutput(const DepthwiseRows& work, const Sides& sides);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_ONE_OUTPUT_LOOPS_H_
