// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_unary.h"

namespace kws {

Status PrepareFloatUnary(PrepareContext& context, int references, FloatUnaryParams** params) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(ReadFloat32(context, &input, &output));
  if (input.elements != output.elements) return Status::kUnsupportedShape;
  KWS_RETURN_IF_ERROR(context.Allocate(references, params));
  (*params)->elements = static_cast<int32_t>(input.elements);
  context.BindInput(0, 0);
  context.BindOutput(1, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  return Status::kOk;
}

}  // namespace kws
