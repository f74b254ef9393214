// SPDX-License-Identifier: Apache-2.0
// SOFTMAX and LOG_SOFTMAX, float32: along the last dimension.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_SOFTMAX_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_SOFTMAX_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/float_math.h"

namespace kws {

struct alignas(4) FloatSoftmaxParams {
  int32_t rows;
  int32_t depth;
  float beta;
};

// `references` of the record.
Status PrepareFloatSoftmax(PrepareContext& context, OptionsType options, int references,
                           float beta);

// Row: a function of the parameters, an input row, its maximum and the output row.
template <typename Row>
void InvokeFloatSoftmax(const InvokeContext& context, Row row) {
  const FloatSoftmaxParams& params = context.Params<FloatSoftmaxParams>();
  const float* input = context.Data<float>(0);
  float* output = context.MutableData<float>(1);
  for (int32_t left = params.rows; left > 0; --left) {
    float largest = LoadAs<float>(input);
    for (int32_t i = 1; i < params.depth; ++i) {
      const float x = LoadAs<float>(input + i);
      if (largest < x) largest = x;
    }
    row(params, input, largest, output);
    input += params.depth;
    output += params.depth;
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_SOFTMAX_H_
