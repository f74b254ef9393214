// SPDX-License-Identifier: Apache-2.0
// PRELU, int8: x where x >= 0, else alpha * x; alpha broadcasts.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

struct alignas(4) Params {
  Broadcast broadcast;
  int32_t multiplier;
  int32_t alpha_multiplier;
  int16_t zero_points[3];  // of the inputs and of the output
  int8_t shift;
  int8_t alpha_shift;
};

Status Prepare(PrepareContext& context) {
  BinaryOp op;
  KWS_RETURN_IF_ERROR(op.Read(context));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.a));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.b));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  QuantizedMultiplier factor;
  QuantizedMultiplier alpha;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(op.a.scale, 1.0f, op.output.scale, 0, &factor));
  KWS_RETURN_IF_ERROR(MultiplierFromScales(op.a.scale, op.b.scale, op.output.scale, 0, &alpha));
  Params* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params));
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->alpha_multiplier = alpha.multiplier;
  params->alpha_shift = static_cast<int8_t>(alpha.shift);
  params->zero_points[0] = static_cast<int16_t>(op.a.zero_point);
  params->zero_points[1] = static_cast<int16_t>(op.b.zero_point);
  params->zero_points[2] = static_cast<int16_t>(op.output.zero_point);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  InvokeBinaryOf<int8_t>(
      context, params.broadcast, context.Extra<BroadcastLoop, Params>(),
      [&params](int8_t a, int8_t b) {
        const int32_t x = a - params.zero_points[0];
        const int32_t scaled =
            x >= 0 ? MultiplyByQuantizedMultiplier(x, params.multiplier, params.shift)
                   : MultiplyByQuantizedMultiplier(x * (b - params.zero_points[1]),
                                                   params.alpha_multiplier, params.alpha_shift);
        return static_cast<int8_t>(
            Clamp(WrappingAdd(scaled, params.zero_points[2]), INT8_MIN, INT8_MAX));
      });
}

}  // namespace

KWS_REGISTER(Prelu, Prepare, Invoke)

}  // namespace kws
