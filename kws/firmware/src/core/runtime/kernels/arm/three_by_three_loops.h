// SPDX-License-Identifier: Apache-2.0
// The inner loops of arm/three_by_three.h.
#ifndef KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_LOOPS_H_
#define KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_LOOPS_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"

namespace kws {

// A channel's filter and output stage, in the order in which they are read.
struct ThreeByThree {
  int32_t start;
  // A row's weights a, b, c as pairs: ab, bc.
  uint32_t weights[3][2];
  int32_t multiplier;
  int32_t bias;
  int32_t right;
  int32_t step;  // bytes from output to output
};

#if KWS_HAVE_DSP
// `count` outputs of one channel, at least four: four at a time, the last ones once more with their
// neighbours where they are no four.
void RunThreeByThreeRow(const ThreeByThree& channel, const int16_t* const (&rows)[3], int count,
                        int8_t* to);
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_LOOPS_H_
