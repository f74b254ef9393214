// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with dilated windows and stride 1. With dilation n, input and output
// consist of n interleaved images, each of which is convolved without dilation.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_DILATED_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_DILATED_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/cortex_m4/three_by_three.h"
#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"

namespace kws {

// Candidates. With fewer taps, RunFourChannels is faster.
inline bool MayBeDilated(const Sides& sides) {
  constexpr int kFewestTaps = 3;
  return (sides.rows.dilation > 1 || sides.columns.dilation > 1) &&
         sides.rows.taps * sides.columns.taps >= kFewestTaps;
}

// The largest of these images, with its strides in the whole image.
Sides WithoutDilation(const Sides& sides);

// Windows for which RunDilated is fastest.
bool IsDilated(const Sides& sides);

// All outputs of an image, which must not overlap the input. Requires fast requantization.
void RunDilated(const DepthwiseRows& work, const Sides& sides);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_DILATED_H_
