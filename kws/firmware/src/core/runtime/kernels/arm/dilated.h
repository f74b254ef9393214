// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with dilated windows. With stride 1, a window that takes every n-th value
// sees one of n images only, which lie in turn in the input, and so do their outputs: each is
// convolved for itself, without dilation.
#ifndef KWS_RUNTIME_KERNELS_ARM_DILATED_H_
#define KWS_RUNTIME_KERNELS_ARM_DILATED_H_

#include <cstdint>

#include "runtime/kernels/arm/three_by_three.h"
#include "runtime/kernels/shared/depthwise_rows.h"
#include "runtime/kernels/shared/image_sides.h"

namespace kws {

// Where it may pay. Fewer taps cost less with four channels of an output at a time.
inline bool MayBeDilated(const Sides& sides) {
  constexpr int kFewestTaps = 3;
  return (sides.rows.dilation > 1 || sides.columns.dilation > 1) &&
         sides.rows.taps * sides.columns.taps >= kFewestTaps;
}

// The largest of these images, with its steps in the whole one.
Sides WithoutDilation(const Sides& sides);

// Where it is the fastest way.
bool IsDilated(const Sides& sides);

#if KWS_HAVE_DSP
// All outputs of an image, of which each factor is usual. The output may not run over the input.
void RunDilated(const DepthwiseRows& work, const Sides& sides);
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_DILATED_H_
