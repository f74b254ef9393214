// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/reduce_extremum.h"

namespace kws {

Status PrepareReduceExtremum(PrepareContext& context) {
  Tensor input;
  Tensor output;
  uint32_t axes;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kReducer));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  const bool is_float = input.type == TensorType::kFloat32;
  if (input.type != output.type || (!is_float && input.type != TensorType::kInt8)) {
    return Status::kUnsupportedType;
  }
  // Integers are copied unchanged.
  if (!is_float && (input.scale != output.scale || input.zero_point != output.zero_point)) {
    return Status::kBadQuantization;
  }
  KWS_RETURN_IF_ERROR(ReadReducedAxes(context, input, &axes));
  ReduceExtremumParams* params;
  KWS_RETURN_IF_ERROR(context.Allocate(2, &params));
  const int32_t count = PlanReduceLoops(input, axes, &params->loops);
  if (uint64_t{output.elements} * static_cast<uint32_t>(count) != input.elements) {
    return Status::kUnsupportedShape;
  }
  params->is_float = is_float;
  context.BindInput(0, 0);
  context.BindOutput(1, 0);
  return Status::kOk;
}

}  // namespace kws
