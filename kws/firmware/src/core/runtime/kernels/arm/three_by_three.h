// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions of 3x3, stride 1 along the row: four channels at a time, whose rows are
// widened together, and four outputs of each at a time.
//
// Three rows of the image are in memory, each channel's values for itself, as in
// shared/depthwise_band.h. A row takes the place of the third row before it.
#ifndef KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_H_
#define KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_H_

#include "runtime/kernels/shared/depthwise_rows.h"
#include "runtime/kernels/shared/image_sides.h"

namespace kws {

inline bool IsThreeByThree(const Sides& sides) {
  return sides.channels % kFour == 0 && sides.multiplier == 1 && sides.rows.taps == 3 &&
         sides.columns.taps == 3 && sides.columns.stride == 1 && sides.columns.out >= 4 &&
         sides.rows.dilation == 1 && sides.columns.dilation == 1;
}

#if KWS_HAVE_DSP
// All outputs of an image, of which each factor is usual.
void RunThreeByThree(const DepthwiseRows& work, const Sides& sides);
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_H_
