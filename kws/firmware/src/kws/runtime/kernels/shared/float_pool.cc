// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_pool.h"

namespace kws {

Status PrepareFloatPool(PrepareContext& context) {
  Tensor output;
  Window window;
  Activation activation;
  FloatRange range;
  KWS_RETURN_IF_ERROR(ReadPool(context, TensorType::kFloat32, &output, &window, &activation));
  KWS_RETURN_IF_ERROR(GetFloatRange(activation, &range));
  FloatPoolParams* params;
  KWS_RETURN_IF_ERROR(context.Allocate(2 + kFloat32Mark, &params));
  context.BindInput(0, 0);
  context.BindOutput(1, 0);
  params->window = window;
  params->range = range;
  return Status::kOk;
}

}  // namespace kws
