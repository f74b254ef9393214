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
  return StorePool(context, 2 + kFloat32Mark, window, range);
}

}  // namespace kws
