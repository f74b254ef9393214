// SPDX-License-Identifier: Apache-2.0
// Element-wise float32 ops of two tensors, with broadcasting.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_BINARY_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_BINARY_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/float_math.h"

namespace kws {

struct alignas(4) FloatBinaryParams {
  Broadcast broadcast;
  FloatRange range;
};

// `references` of the record; `activation`: slot of the fused activation, -1 for none.
Status PrepareFloatBinary(PrepareContext& context, OptionsType options, int references,
                          int activation);

// Operation: float operator()(float a, float b).
template <typename Operation>
void InvokeFloatBinary(const InvokeContext& context) {
  const FloatBinaryParams& params = context.Params<FloatBinaryParams>();
  const FloatRange range = params.range;
  InvokeBinaryOf<float>(context, params.broadcast,
                        context.Extra<BroadcastLoop, FloatBinaryParams>(),
                        [range](float a, float b) { return range.Clip(Operation()(a, b)); });
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_BINARY_H_
