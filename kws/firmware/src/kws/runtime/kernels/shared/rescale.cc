// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/rescale.h"

#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {

Status MakeRescale(const PrepareContext& context, int slot, const QuantizedMultiplier& factor,
                   const Tensor& output, RescaleParams* params) {
  ActivationRange range;
  KWS_RETURN_IF_ERROR(GetActivationRange(static_cast<Activation>(context.Option<uint8_t>(slot, 0)),
                                         output, &range));
  params->multiplier = factor.multiplier;
  params->offset = static_cast<int16_t>(output.zero_point);
  params->shift = static_cast<int8_t>(factor.shift);
  params->min = static_cast<int8_t>(range.min);
  params->max = static_cast<int8_t>(range.max);
  return Status::kOk;
}

}  // namespace kws
