// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/int16_pool.h"

namespace kws {

Status PrepareInt16Pool(PrepareContext& context) {
  Tensor input;
  Tensor output;
  Window window;
  Activation activation;
  ActivationRange range;
  KWS_RETURN_IF_ERROR(ReadPool(context, TensorType::kInt16, &output, &window, &activation));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  KWS_RETURN_IF_ERROR(CheckQuantized(output));
  const float scale_difference = input.scale - output.scale;
  if (scale_difference > 1e-6f || scale_difference < -1e-6f ||
      input.zero_point != output.zero_point) {
    return Status::kBadQuantization;
  }
  KWS_RETURN_IF_ERROR(GetActivationRange(activation, output, &range));
  return StorePool(context, 2 + kInt16Mark, window, range);
}

}  // namespace kws
