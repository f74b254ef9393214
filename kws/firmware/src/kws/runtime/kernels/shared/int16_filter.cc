// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/int16_filter.h"

#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

constexpr int kLargestShift = 7;  // of MultiplyWide

}  // namespace

Status MakeWideStage(const PrepareContext& context, const PlainFilter& op, int dimension,
                     int activation, int bias_type, WideStage* stage) {
  KWS_RETURN_IF_ERROR(CheckQuantized(op.input));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  if (op.input.zero_point != 0 || op.output.zero_point != 0) return Status::kBadQuantization;
  uint32_t factors;
  KWS_RETURN_IF_ERROR(FactorCount(op.filter, op.conv.channels, dimension, &factors));
  stage->factors = static_cast<int32_t>(factors);
  const TensorType sums = op.has_bias ? op.bias.type
                          : bias_type < 0
                              ? TensorType::kInt64
                              : static_cast<TensorType>(context.Option<uint8_t>(bias_type, 0));
  stage->narrow = sums == TensorType::kInt32;
  if (op.has_bias && !stage->narrow && sums != TensorType::kInt64) return Status::kUnsupportedType;
  ActivationRange range;
  KWS_RETURN_IF_ERROR(GetActivationRange(
      static_cast<Activation>(context.Option<uint8_t>(activation, 0)), op.output, &range));
  stage->min = static_cast<int16_t>(range.min);
  stage->max = static_cast<int16_t>(range.max);
  return Status::kOk;
}

Status MakeWideFactors(const PrepareContext& context, const PlainFilter& op, int32_t* factors) {
  const FlatVector scales{op.filter.scales, op.filter.scale_count};
  int8_t* shifts = reinterpret_cast<int8_t*>(factors + op.filter.scale_count);
  // For a fully connected layer with one filter scale, TFLM multiplies the scales as floats.
  const bool as_floats = op.filter.rank == 2 && op.filter.scale_count == 1;
  for (uint32_t i = 0; i < op.filter.scale_count; ++i) {
    const float scale = context.model().Element<float>(scales, i);
    QuantizedMultiplier factor;
    KWS_RETURN_IF_ERROR(MultiplierFromScales(as_floats ? op.input.scale * scale : op.input.scale,
                                             as_floats ? 1.0f : scale, op.output.scale, 0,
                                             &factor));
    if (factor.shift > kLargestShift) return Status::kBadQuantization;
    factors[i] = factor.multiplier;
    shifts[i] = static_cast<int8_t>(factor.shift);
  }
  return Status::kOk;
}

Status AllocateInt16Filter(PrepareContext& context, const PlainFilter& op, int references,
                           const WideStage& stage) {
  Int16FilterParams* params;
  KWS_RETURN_IF_ERROR(
      context.Allocate(references, &params, FactorBytes(static_cast<uint32_t>(stage.factors))));
  params->conv = op.conv;
  params->stage = stage;
  op.Bind(context);
  return MakeWideFactors(context, op, reinterpret_cast<int32_t*>(params + 1));
}

void InvokeInt16Conv(const InvokeContext& context) {
  const Int16FilterParams& params = context.Params<Int16FilterParams>();
  const WideFinish finish(params.stage, context.Extra<int32_t, Int16FilterParams>(),
                          context.Data<void>(PlainFilter::kBias));
  RunPlainConv<int64_t>(params.conv, context.Data<int16_t>(PlainFilter::kInput),
                        context.Data<int8_t>(PlainFilter::kFilter),
                        context.MutableData<int16_t>(PlainFilter::kOutput), finish);
}

}  // namespace kws
