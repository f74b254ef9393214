// SPDX-License-Identifier: Apache-2.0
// Convolutions of 3x3 and 1x3 with stride 1 or 2 along the row, in which an output channel depends
// on one input channel: four or five outputs of a channel at a time. The line buffer holds the rows
// of four input channels if their number is a multiple of four, else of one.
//
// The buffer has as many rows, including padding, as fit; format as in shared/line_buffer.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_THREE_BY_THREE_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_THREE_BY_THREE_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/cortex_m4/three_by_three_loops.h"
#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"

namespace kws {

inline bool IsThreeByThree(const Sides& sides) {
  return sides.channels % kFour == 0 && sides.multiplier == 1 && sides.rows.taps == 3 &&
         sides.columns.taps == 3 && sides.columns.stride <= 2 && sides.columns.out >= 4 &&
         sides.rows.dilation == 1 && sides.columns.dilation == 1;
}

// Other windows of three taps along the row: several filters per channel, channels not a multiple
// of four, windows of one row.
inline bool IsThreeTaps(const Sides& sides) {
  return (sides.rows.taps == 3 || sides.rows.taps == 1) && sides.columns.taps == 3 &&
         sides.columns.stride <= 2 && sides.columns.out >= 4 && sides.rows.dilation == 1 &&
         sides.columns.dilation == 1 && !IsThreeByThree(sides);
}

// Bytes of scratch, for both.
uint32_t ThreeByThreeScratch(const Sides& sides);

// All outputs of an image. Require fast requantization. `loop`: by stride.
void RunThreeByThree(const DepthwiseRows& work, const Sides& sides, ThreeByThreeLoop loop);
void RunThreeTaps(const DepthwiseRows& work, const Sides& sides);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_THREE_BY_THREE_H_
