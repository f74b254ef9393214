// SPDX-License-Identifier: Apache-2.0
// SHAPE: the dimensions of a tensor of any type, as int32.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"

namespace kws {
namespace {

enum References { kOutput, kReferences };

struct alignas(4) Params {
  int32_t rank;
  int32_t dims[kMaxRank];
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kShape));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (output.type != TensorType::kInt32) return Status::kUnsupportedType;
  if (input.rank < 1 || output.elements != input.rank) return Status::kUnsupportedShape;
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindOutput(kOutput, 0);
  params->rank = input.rank;
  for (int i = 0; i < input.rank; ++i) params->dims[i] = input.dims[i];
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  int32_t* output = context.MutableData<int32_t>(kOutput);
  for (int32_t i = 0; i < params.rank; ++i) output[i] = params.dims[i];
}

}  // namespace

KWS_REGISTER(Shape, Prepare, Invoke)

}  // namespace kws
