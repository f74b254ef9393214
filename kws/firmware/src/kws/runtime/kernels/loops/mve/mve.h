// SPDX-License-Identifier: Apache-2.0
// Helium: the vector instructions of the Cortex-M55 and M85. Empty on other targets.
// Source: Arm DDI 0553B (ARMv8-M), chapter C2.4; intrinsics by their names in Arm's "MVE
// Intrinsics".
#ifndef KWS_RUNTIME_KERNELS_LOOPS_MVE_MVE_H_
#define KWS_RUNTIME_KERNELS_LOOPS_MVE_MVE_H_

#include "kws/runtime/kernels/loops/processor.h"

#if KWS_HAVE_MVE
#include <arm_mve.h>

namespace kws {
namespace mve {

constexpr int32_t kBytes = 16;  // in a register
constexpr int kLanes = 4;       // int32 in a register

// RoundingDivideByPowerOfTwo; `shift`: minus the exponents, which are 1 or more.
inline int32x4_t DivideByPowerOfTwo(int32x4_t x, int32x4_t shift) {
  // The instruction rounds halves up, so negative values are decreased before.
  return vrshlq_s32(vaddq_s32(x, vshrq_n_s32(x, 31)), shift);
}

}  // namespace mve
}  // namespace kws
#endif  // KWS_HAVE_MVE

#endif  // KWS_RUNTIME_KERNELS_LOOPS_MVE_MVE_H_
