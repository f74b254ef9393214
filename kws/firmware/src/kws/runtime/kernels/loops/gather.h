// SPDX-License-Identifier: Apache-2.0
// Copies a convolution's window, in the order of its filter's weights.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_GATHER_H_
#define KWS_RUNTIME_KERNELS_LOOPS_GATHER_H_

#include <cstdint>

#include "kws/runtime/kernels/shared/window.h"

namespace kws {

// Copies `depth` channels of the window of output pixel (y, x) to `to`; `zero` outside the image.
// `image`: the first of these channels.
void GatherWindow(const Window& window, int depth, int8_t zero, const int8_t* image, int y, int x,
                  int8_t* to);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_GATHER_H_
