// SPDX-License-Identifier: Apache-2.0
// LEAKY_RELU, int16: x where x >= 0, else alpha * x; alpha may have any sign.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kAlpha = 0 };
enum References { kInput, kOutput, kReferences = LookupTable::kReferences + kInt16Mark };

struct alignas(4) Params {
  int32_t elements;
  int32_t multiplier;
  int32_t alpha_multiplier;  // of alpha's magnitude
  int16_t input_zero_point;
  int16_t output_zero_point;
  int8_t shift;
  int8_t alpha_shift;
  bool negative_alpha;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kLeakyRelu));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != TensorType::kInt16 || output.type != TensorType::kInt16) {
    return Status::kUnsupportedType;
  }
  if (input.elements != output.elements) return Status::kUnsupportedShape;
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  KWS_RETURN_IF_ERROR(CheckQuantized(output));
  // TFLM computes both factors in double.
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale, 1.0f, output.scale, 0, &factor));
  const float alpha = context.Option<float>(kAlpha, 0.0f);
  const bool negative = alpha < 0.0f;
  QuantizedMultiplier alpha_factor;
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(input.scale, negative ? -alpha : alpha, output.scale, 0, &alpha_factor));

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->elements = static_cast<int32_t>(input.elements);
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->alpha_multiplier = alpha_factor.multiplier;
  params->alpha_shift = static_cast<int8_t>(alpha_factor.shift);
  params->negative_alpha = negative;
  params->input_zero_point = static_cast<int16_t>(input.zero_point);
  params->output_zero_point = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int16_t* input = context.Data<int16_t>(kInput);
  int16_t* output = context.MutableData<int16_t>(kOutput);
  for (int32_t i = 0; i < params.elements; ++i) {
    const int32_t x = LoadAs<int16_t>(input + i) - params.input_zero_point;
    int32_t scaled;
    if (x >= 0) {
      scaled = MultiplyByQuantizedMultiplier(x, params.multiplier, params.shift);
    } else {
      scaled = MultiplyByQuantizedMultiplier(x, params.alpha_multiplier, params.alpha_shift);
      if (params.negative_alpha) scaled = WrappingAdd(~scaled, 1);
    }
    output[i] = static_cast<int16_t>(
        Clamp(WrappingAdd(scaled, params.output_zero_point), INT16_MIN, INT16_MAX));
  }
}

}  // namespace

KWS_REGISTER_TYPE(LeakyRelu, Int16, Prepare, Invoke)

}  // namespace kws
