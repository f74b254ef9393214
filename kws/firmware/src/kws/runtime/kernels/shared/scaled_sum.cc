// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/scaled_sum.h"

#include "kws/runtime/kernels/loops/sum.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kActivation = 0 };

// The factor a / b * 2^exponent, which must be below 1 as in TFLM.
Status SumFactor(float a, float b, int exponent, QuantizedMultiplier* out) {
  KWS_RETURN_IF_ERROR(MultiplierFromScales(a, 1.0f, b, exponent, out));
  return out->shift <= 0 ? Status::kOk : Status::kBadQuantization;
}

}  // namespace

Status PrepareSum(PrepareContext& context, bool subtract) {
  BinaryOp op;
  KWS_RETURN_IF_ERROR(context.CheckOptions(subtract ? OptionsType::kSub : OptionsType::kAdd));
  KWS_RETURN_IF_ERROR(op.Read(context));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.a));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.b));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  SumParams* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params));

  const bool swap = op.b.scale > op.a.scale;
  const Tensor& exact = swap ? op.b : op.a;
  const Tensor& other = swap ? op.a : op.b;
  params->exact = swap ? 1 : 0;
  params->exact_sign = subtract && swap ? -1 : 1;
  params->other_sign = subtract && !swap ? -1 : 1;
  params->exact_zero = static_cast<int16_t>(exact.zero_point);
  params->other_zero = static_cast<int16_t>(other.zero_point);
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(SumFactor(other.scale, exact.scale, -1, &factor));
  params->multiplier = factor.multiplier;
  // The factor 1/2, the only one without a shift, is computed as 1 and halved exactly.
  const bool half = factor.shift == 0;
  params->left = half ? kSumBits + 2 : kSumBits + 1;
  params->right = static_cast<uint8_t>(half ? 1 : -factor.shift);
  KWS_RETURN_IF_ERROR(SumFactor(exact.scale, op.output.scale, 1 - kSumBits, &factor));
  return MakeRescale(context, kActivation, factor, op.output, &params->output);
}

void InvokeSum(const InvokeContext& context) {
  InvokeBinary(context, context.Params<SumParams>().broadcast,
               context.Extra<BroadcastLoop, SumParams>(), RunSum);
}

}  // namespace kws
