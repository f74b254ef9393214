// SPDX-License-Identifier: Apache-2.0
// SOFTMAX, float32: along the last dimension.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_math.h"

namespace kws {
namespace {

enum Options { kBeta = 0 };
// One reference more than the int8 kernel's three.
enum References { kInput, kOutput, kReferences = 3 + kFloat32Mark };

struct alignas(4) Params {
  int32_t rows;
  int32_t depth;
  float beta;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSoftmax));
  KWS_RETURN_IF_ERROR(ReadFloat32(context, &input, &output));
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim()) {
    return Status::kUnsupportedShape;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = input.last_dim();
  params->beta = context.Option<float>(kBeta, 0.0f);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int32_t depth = params.depth;
  const float* input = context.Data<float>(kInput);
  float* output = context.MutableData<float>(kOutput);
  for (int32_t row = 0; row < params.rows; ++row) {
    float largest = LoadAs<float>(input);
    for (int32_t i = 1; i < depth; ++i) {
      const float x = LoadAs<float>(input + i);
      if (largest < x) largest = x;
    }
    float sum = 0.0f;
    for (int32_t i = 0; i < depth; ++i) {
      output[i] = Exp((LoadAs<float>(input + i) - largest) * params.beta);
      sum += output[i];
    }
    for (int32_t i = 0; i < depth; ++i) output[i] /= sum;
    input += depth;
    output += depth;
  }
}

}  // namespace

KWS_REGISTER_TYPE(Softmax, Float32, Prepare, Invoke)

}  // namespace kws
