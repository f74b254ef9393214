// SPDX-License-Identifier: Apache-2.0
// RELU, int8: the output has its own quantization.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

struct alignas(4) Params {
  LookupTable map;
  int32_t multiplier;
  int16_t input_zero_point;
  int16_t output_zero_point;
  int8_t shift;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(ReadInt8Elementwise(context, &input, &output));
  // TFLM divides in float.
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale / output.scale, 1.0f, 1.0f, 0, &factor));
  Params* params;
  KWS_RETURN_IF_ERROR(AllocateLookupTable(context, input.elements, &params));
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->input_zero_point = static_cast<int16_t>(input.zero_point);
  params->output_zero_point = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

void Compute(const InvokeContext& context, const int8_t* input, int8_t* output, int32_t count) {
  const Params& params = context.Params<Params>();
  const int32_t zero_point = params.output_zero_point;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = MultiplyByQuantizedMultiplier(input[i] - params.input_zero_point,
                                                         params.multiplier, params.shift);
    output[i] = static_cast<int8_t>(Clamp(WrappingAdd(scaled, zero_point), zero_point, INT8_MAX));
  }
}

void Invoke(const InvokeContext& context) {
  InvokeLookupTable(context, context.Params<Params>().map, Compute);
}

}  // namespace

KWS_REGISTER(Relu, Prepare, Invoke)

}  // namespace kws
