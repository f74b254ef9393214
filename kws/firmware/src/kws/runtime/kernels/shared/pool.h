// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D: int8, NHWC, one quantization for input and output.
#ifndef KWS_RUNTIME_KERNELS_SHARED_POOL_H_
#define KWS_RUNTIME_KERNELS_SHARED_POOL_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/loops/pool.h"

namespace kws {

Status PreparePool(PrepareContext& context);

// Calls `pool` for each output pixel.
void InvokePool(const InvokeContext& context, void (*pool)(const PoolPixel& pixel, int8_t* output));

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_POOL_H_
