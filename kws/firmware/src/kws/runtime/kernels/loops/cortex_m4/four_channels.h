// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with one filter per channel, any window, stride and dilation: four
// channels of one output at a time, without a line buffer.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_FOUR_CHANNELS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_FOUR_CHANNELS_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/cortex_m4/one_output_loops.h"
#include "kws/runtime/kernels/loops/cortex_m4/three_by_three.h"
#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"

namespace kws {

// Windows for which no other loop is faster. The output must not overlap the input.
inline bool IsFourChannels(const Sides& sides) {
  return sides.multiplier == 1 && sides.channels % kFour == 0 && !IsThreeByThree(sides) &&
         !IsThreeTaps(sides) && !IsRowTaps(sides) && !IsOneOutput(sides);
}

// All outputs of an image. Requires fast requantization. Scratch: 8 bytes per tap plus 8, which is
// less than DepthwiseRowsScratch().
void RunFourChannels(const DepthwiseRows& work, const Sides& sides);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_FOUR_CHANNELS_H_
