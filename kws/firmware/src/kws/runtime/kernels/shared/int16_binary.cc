// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/int16_binary.h"

#include "kws/runtime/kernels/loops/arithmetic.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kActivation = 0 };

constexpr int kSumBits = 15;  // of fraction, of the sum

struct alignas(4) Params {
  Broadcast broadcast;
  int32_t multipliers[3];  // of the inputs and of the output
  int8_t rights[3];
  int8_t sign;  // of the second input
  int16_t min;
  int16_t max;
};

int32_t Scale(const Params& params, int i, int32_t x) {
  return RoundingDivideByPowerOfTwo(RoundingHighMul(x, params.multipliers[i]), params.rights[i]);
}

// The factor a / b * 2^exponent, which must be below 1 as in TFLM.
Status SetFactor(float a, float b, int exponent, int i, Params* params) {
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(a, 1.0f, b, exponent, &factor));
  if (factor.shift > 0) return Status::kBadQuantization;
  params->multipliers[i] = factor.multiplier;
  params->rights[i] = static_cast<int8_t>(-factor.shift);
  return Status::kOk;
}

}  // namespace

Status ReadInt16Binary(const PrepareContext& context, BinaryOp* op) {
  KWS_RETURN_IF_ERROR(op->ReadType(context, TensorType::kInt16));
  const Tensor* const tensors[] = {&op->a, &op->b, &op->output};
  for (const Tensor* tensor : tensors) {
    KWS_RETURN_IF_ERROR(CheckQuantized(*tensor));
    if (tensor->zero_point != 0) return Status::kBadQuantization;
  }
  return Status::kOk;
}

Status PrepareInt16Sum(PrepareContext& context, bool subtract) {
  BinaryOp op;
  ActivationRange range;
  KWS_RETURN_IF_ERROR(context.CheckOptions(subtract ? OptionsType::kSub : OptionsType::kAdd));
  KWS_RETURN_IF_ERROR(ReadInt16Binary(context, &op));
  KWS_RETURN_IF_ERROR(GetActivationRange(
      static_cast<Activation>(context.Option<uint8_t>(kActivation, 0)), op.output, &range));
  Params* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params, BinaryOp::kReferences + kInt16Mark));
  params->sign = subtract ? -1 : 1;
  params->min = static_cast<int16_t>(range.min);
  params->max = static_cast<int16_t>(range.max);
  const float larger = op.a.scale > op.b.scale ? op.a.scale : op.b.scale;
  KWS_RETURN_IF_ERROR(SetFactor(op.a.scale, larger, -1, 0, params));
  KWS_RETURN_IF_ERROR(SetFactor(op.b.scale, larger, -1, 1, params));
  return SetFactor(larger, op.output.scale, 1 - kSumBits, 2, params);
}

void InvokeInt16Sum(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  InvokeBinaryOf<int16_t>(
      context, params.broadcast, context.Extra<BroadcastLoop, Params>(),
      [&params](int16_t a, int16_t b) {
        const int32_t sum = Scale(params, 0, a * (1 << kSumBits)) +
                            params.sign * Scale(params, 1, b * (1 << kSumBits));
        return static_cast<int16_t>(Clamp(Scale(params, 2, sum), params.min, params.max));
      });
}

}  // namespace kws
