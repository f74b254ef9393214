// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions of 3x3 with Helium, sixteen channels at a time.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_MVE_DEPTHWISE_MVE_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_MVE_DEPTHWISE_MVE_LOOPS_H_

#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"

namespace kws {
namespace mve {

// All outputs of an image, for sides of IsThreeByThree(). Requires fast requantization. Returns
// false, and does nothing, if the output's shorter side has a stride above 1 or is 1, or needs more
// than `scratch` bytes of work.scratch.
bool RunThreeByThree(const DepthwiseRows& work, const Sides& sides, uint32_t scratch);

}  // namespace mve
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_MVE_DEPTHWISE_MVE_LOOPS_H_
