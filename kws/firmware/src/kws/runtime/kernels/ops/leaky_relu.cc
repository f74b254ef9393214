// SPDX-License-Identifier: Apache-2.0
// LEAKY_RELU, int8: x where x >= 0, else alpha * x; alpha may have any sign.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kAlpha = 0 };

struct alignas(4) Params {
  LookupTable map;
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
  KWS_RETURN_IF_ERROR(ReadInt8Elementwise(context, &input, &output));
  // TFLM computes both factors in double.
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale, 1.0f, output.scale, 0, &factor));
  const float alpha = context.Option<float>(kAlpha, 0.0f);
  const bool negative = alpha < 0.0f;
  QuantizedMultiplier alpha_factor;
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(input.scale, negative ? -alpha : alpha, output.scale, 0, &alpha_factor));

  Params* params;
  KWS_RETURN_IF_ERROR(AllocateLookupTable(context, input.elements, &params));
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->alpha_multiplier = alpha_factor.multiplier;
  params->alpha_shift = static_cast<int8_t>(alpha_factor.shift);
  params->negative_alpha = negative;
  params->input_zero_point = static_cast<int16_t>(input.zero_point);
  params->output_zero_point = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

void Compute(const InvokeContext& context, const int8_t* input, int8_t* output, int32_t count) {
  const Params& params = context.Params<Params>();
  for (int32_t i = 0; i < count; ++i) {
    const int32_t x = input[i] - params.input_zero_point;
    const bool scale_by_alpha = x < 0;
    int32_t scaled = MultiplyByQuantizedMultiplier(
        x, scale_by_alpha ? params.alpha_multiplier : params.multiplier,
        scale_by_alpha ? params.alpha_shift : params.shift);
    if (scale_by_alpha && params.negative_alpha) scaled = WrappingAdd(~scaled, 1);
    output[i] = static_cast<int8_t>(
        Clamp(WrappingAdd(scaled, params.output_zero_point), INT8_MIN, INT8_MAX));
  }
}

void Invoke(const InvokeContext& context) {
  InvokeLookupTable(context, context.Params<Params>().map, Compute);
}

}  // namespace

KWS_REGISTER(LeakyRelu, Prepare, Invoke)

}  // namespace kws
