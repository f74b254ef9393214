// SPDX-License-Identifier: Apache-2.0
// Whether kernels use AVX2. Unlike other instructions it is chosen at run time: not every PC's
// processor has it.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_AVX2_H_
#define KWS_RUNTIME_KERNELS_LOOPS_AVX2_H_

#include "kws/runtime/kernels/loops/processor.h"

namespace kws {
namespace avx2 {

#if KWS_MAY_HAVE_AVX2
// Initially, if the processor has it.
extern bool in_use;

// Turns it off, to run the portable loops, or on again if the processor has it. Returns in_use. Not
// while another thread is in Invoke.
bool Use(bool on);
#else
constexpr bool in_use = false;
inline bool Use(bool /*on*/) { return false; }
#endif

}  // namespace avx2
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_AVX2_H_
