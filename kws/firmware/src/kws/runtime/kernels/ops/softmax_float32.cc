// SPDX-License-Identifier: Apache-2.0
// SOFTMAX, float32: along the last dimension.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_softmax.h"

namespace kws {
namespace {

enum Options { kBeta = 0 };

Status Prepare(PrepareContext& context) {
  // One reference more than the int8 kernel's three.
  return PrepareFloatSoftmax(context, OptionsType::kSoftmax, 3 + kFloat32Mark,
                             context.Option<float>(kBeta, 0.0f));
}

void WriteRow(const FloatSoftmaxParams& params, const float* input, float largest, float* output) {
  float sum = 0.0f;
  for (int32_t i = 0; i < params.depth; ++i) {
    output[i] = Exp((LoadAs<float>(input + i) - largest) * params.beta);
    sum += output[i];
  }
  for (int32_t i = 0; i < params.depth; ++i) output[i] /= sum;
}

void Invoke(const InvokeContext& context) { InvokeFloatSoftmax(context, WriteRow); }

}  // namespace

KWS_REGISTER_TYPE(Softmax, Float32, Prepare, Invoke)

}  // namespace kws
