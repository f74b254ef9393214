// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with windows of eight columns and stride 2 along the row, whose input
// channels have four filters or more: four filters at a time.
//
// The line buffer is a ring of as many rows as the window has, in the format of
// shared/line_buffer.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_EIGHT_TAPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_EIGHT_TAPS_H_

#include "kws/runtime/kernels/loops/depthwise_taps.h"
#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"

namespace kws {

// All outputs of an image. Requires fast requantization.
void RunEightTapsRows(const DepthwiseRows& work, const Sides& sides);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_EIGHT_TAPS_H_
