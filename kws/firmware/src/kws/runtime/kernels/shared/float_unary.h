// SPDX-License-Identifier: Apache-2.0
// Element-wise float32 ops of one tensor.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_UNARY_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_UNARY_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/float_math.h"

namespace kws {

struct alignas(4) FloatUnaryParams {
  int32_t elements;
  float alpha;  // of LEAKY_RELU
};

// Allocates the record; `references` (at least 2) of them.
Status PrepareFloatUnary(PrepareContext& context, int references, FloatUnaryParams** params);

template <int kReferences>
Status PrepareFloatUnary(PrepareContext& context) {
  FloatUnaryParams* params;
  return PrepareFloatUnary(context, kReferences, &params);
}

template <typename Function>
void RunFloatUnary(const InvokeContext& context, const Function& function) {
  const int32_t elements = context.Params<FloatUnaryParams>().elements;
  const float* input = context.Data<float>(0);
  float* output = context.MutableData<float>(1);
  for (int32_t i = 0; i < elements; ++i) output[i] = function(LoadAs<float>(input + i));
}

template <float (*kFunction)(float)>
void InvokeFloatUnary(const InvokeContext& context) {
  RunFloatUnary(context, kFunction);
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_UNARY_H_
