// SPDX-License-Identifier: Apache-2.0
// ARG_MAX, int8 to int32: the index of the first maximum along the dimension in a constant.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  int32_t outer;  // elements of the dimensions before
  int32_t size;   // of the dimension
  int32_t inner;  // elements of the dimensions after
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor axis;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kArgMax));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Input(1, &axis));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != TensorType::kInt8 || axis.type != TensorType::kInt32 ||
      output.type != TensorType::kInt32) {
    return Status::kUnsupportedType;
  }
  if (!axis.is_constant()) return Status::kUnsupportedOption;
  if (axis.elements != 1 || input.rank < 1) return Status::kUnsupportedShape;
  int32_t dim = context.model().At<int32_t>(axis.data);
  if (dim < 0 && dim >= -kMaxRank) dim += input.rank;
  if (dim < 0 || dim >= input.rank) return Status::kBadModel;
  const uint32_t size = static_cast<uint32_t>(input.dims[dim]);
  if (output.elements != input.elements / size) return Status::kUnsupportedShape;

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  params->size = input.dims[dim];
  params->outer = 1;
  params->inner = 1;
  for (int i = 0; i < dim; ++i) params->outer *= input.dims[i];
  for (int i = dim + 1; i < input.rank; ++i) params->inner *= input.dims[i];
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(kInput);
  int32_t* output = context.MutableData<int32_t>(kOutput);
  for (int32_t outer = 0; outer < params.outer; ++outer) {
    for (int32_t inner = 0; inner < params.inner; ++inner) {
      const int8_t* at = input + inner;
      int32_t best = 0;
      int8_t largest = *at;
      for (int32_t i = 1; i < params.size; ++i) {
        at += params.inner;
        if (*at > largest) {
          largest = *at;
          best = i;
        }
      }
      *output++ = best;
    }
    input += params.size * params.inner;
  }
}

}  // namespace

KWS_REGISTER(ArgMax, Prepare, Invoke)

}  // namespace kws
