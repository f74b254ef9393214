// SPDX-License-Identifier: Apache-2.0
// Float32 CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_FILTER_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_FILTER_H_

#include "kws/runtime/kernels/shared/float_math.h"
#include "kws/runtime/kernels/shared/plain_filter.h"

namespace kws {

struct alignas(4) FloatFilterParams {
  PlainConv conv;
  FloatRange range;
};

// Allocates the record; `references` of them. `activation`: slot of the fused activation.
Status AllocateFloatFilter(PrepareContext& context, const PlainFilter& op, int references,
                           int activation);

void InvokeFloatConv(const InvokeContext& context);

// A sum plus its channel's bias, if there is one, within the activation's range.
struct FloatFinish {
  const float* bias;
  FloatRange range;

  float operator()(int32_t channel, float sum) const {
    return range.Clip(sum + (bias == nullptr ? 0.0f : LoadAs<float>(bias + channel)));
  }
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_FILTER_H_
