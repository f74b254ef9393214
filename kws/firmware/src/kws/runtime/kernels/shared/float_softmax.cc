// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_softmax.h"

namespace kws {

Status PrepareFloatSoftmax(PrepareContext& context, OptionsType options, int references,
                           float beta) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(options));
  KWS_RETURN_IF_ERROR(ReadFloat32(context, &input, &output));
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim()) {
    return Status::kUnsupportedShape;
  }
  FloatSoftmaxParams* params;
  KWS_RETURN_IF_ERROR(context.Allocate(references, &params));
  context.BindInput(0, 0);
  context.BindOutput(1, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = input.last_dim();
  params->beta = beta;
  return Status::kOk;
}

}  // namespace kws
