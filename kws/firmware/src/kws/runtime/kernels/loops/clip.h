// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CLIP_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CLIP_H_

#include <cstdint>

namespace kws {

// Clips `count` values to an activation's range.
void ClipBytes(int8_t min, int8_t max, int8_t* values, int32_t count);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CLIP_H_
