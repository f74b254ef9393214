// SPDX-License-Identifier: Apache-2.0
// MUL, int16, with broadcasting and a fused activation.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/int16_binary.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kActivation = 0 };

struct alignas(4) Params {
  Broadcast broadcast;
  int32_t multiplier;
  int16_t min;
  int16_t max;
  int8_t shift;
};

Status Prepare(PrepareContext& context) {
  BinaryOp op;
  ActivationRange range;
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kMul));
  KWS_RETURN_IF_ERROR(ReadInt16Binary(context, &op));
  KWS_RETURN_IF_ERROR(GetActivationRange(
      static_cast<Activation>(context.Option<uint8_t>(kActivation, 0)), op.output, &range));
  KWS_RETURN_IF_ERROR(MultiplierFromScales(op.a.scale, op.b.scale, op.output.scale, 0, &factor));
  Params* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params, BinaryOp::kReferences + kInt16Mark));
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->min = static_cast<int16_t>(range.min);
  params->max = static_cast<int16_t>(range.max);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  InvokeBinaryOf<int16_t>(context, params.broadcast, context.Extra<BroadcastLoop, Params>(),
                          [&params](int16_t a, int16_t b) {
                            const int32_t product = MultiplyByQuantizedMultiplier(
                                a * b, params.multiplier, params.shift);
                            return static_cast<int16_t>(Clamp(product, params.min, params.max));
                          });
}

}  // namespace

KWS_REGISTER_TYPE(Mul, Int16, Prepare, Invoke)

}  // namespace kws
