// SPDX-License-Identifier: Apache-2.0
// RELU6, int8: as in TFLM, the input is assumed to have the output's quantization.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  int32_t elements;
  int8_t min;
  int8_t max;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(ReadInt8Elementwise(context, &input, &output));
  ActivationRange range;
  KWS_RETURN_IF_ERROR(GetActivationRange(Activation::kRelu6, input, &range));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->elements = static_cast<int32_t>(input.elements);
  params->min = static_cast<int8_t>(range.min);
  params->max = static_cast<int8_t>(range.max);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(kInput);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  for (int32_t i = 0; i < params.elements; ++i) {
    output[i] = static_cast<int8_t>(Clamp(input[i], params.min, params.max));
  }
}

}  // namespace

KWS_REGISTER(Relu6, Prepare, Invoke)

}  // namespace kws
