// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with one filter a channel, any window, stride and dilation: four channels
// of one output at a time, straight from the image.
#ifndef KWS_RUNTIME_KERNELS_ARM_FOUR_CHANNELS_H_
#define KWS_RUNTIME_KERNELS_ARM_FOUR_CHANNELS_H_

#include <cstdint>

#include "runtime/kernels/arm/one_output_loops.h"
#include "runtime/kernels/arm/three_by_three.h"
#include "runtime/kernels/shared/depthwise_rows.h"
#include "runtime/kernels/shared/image_sides.h"

namespace kws {

// Where no other loop is faster. The output may not run over the input, which is read all along.
inline bool IsFourChannels(const Sides& sides) {
  return sides.multiplier == 1 && sides.channels % kFour == 0 && !IsThreeByThree(sides) &&
         !IsThreeTaps(sides) && !IsRowTaps(sides) && !IsOneOutput(sides);
}

#if KWS_HAVE_DSP
// All outputs of an image, of which each factor is usual. The widened filter takes 8 bytes a tap
// and 8 more, which is less than DepthwiseRowsScratch().
void RunFourChannels(const DepthwiseRows& work, const Sides& sides);
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_FOUR_CHANNELS_H_
