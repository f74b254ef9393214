// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/reduce.h"

#include "kws/runtime/kernels/loops/reduce.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/reduce_plan.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  ReduceLoops loops;
  int32_t multiplier;
  int32_t offset;  // of a sum, for the input's zero point
  int16_t output_zero_point;
  int8_t shift;
};

// Divides the factor by `count` as TFLM does: shift left by count's bits, divide integers, and
// subtract the bits from the shift.
void DivideFactor(int32_t count, QuantizedMultiplier* factor) {
  const uint32_t divisor = static_cast<uint32_t>(count);
  int bits = 31 - __builtin_clz(divisor);
  if (bits > 31 + factor->shift) bits = 31 + factor->shift;
  const uint32_t multiplier = static_cast<uint32_t>(factor->multiplier);
  uint32_t quotient = multiplier / divisor;
  uint32_t remainder = multiplier % divisor;
  for (int i = 0; i < bits; ++i) {
    quotient *= 2;
    remainder *= 2;
    if (remainder >= divisor) {
      remainder -= divisor;
      ++quotient;
    }
  }
  factor->multiplier = static_cast<int32_t>(quotient);
  factor->shift -= bits;
}

// Sum over the reduced dimensions.
int32_t Sum(const Params& params, const int8_t* input) {
  const ReduceLoop inner = params.loops.reduced[2];
  int32_t sum = params.offset;
  for (int32_t i = 0; i < params.loops.reduced[0].count; ++i) {
    const int8_t* row = input + i * params.loops.reduced[0].stride;
    for (int32_t j = 0; j < params.loops.reduced[1].count; ++j) {
      sum = SumOfValues(row, inner.count, inner.stride, sum);
      row += params.loops.reduced[1].stride;
    }
  }
  return sum;
}

}  // namespace

Status PrepareReduce(PrepareContext& context, bool mean) {
  static_assert(kReduceLoops == 3, "the loops are written out");
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kReducer));
  KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  uint32_t axes;
  KWS_RETURN_IF_ERROR(ReadReducedAxes(context, input, &axes));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  const int32_t count = PlanReduceLoops(input, axes, &params->loops);
  if (static_cast<uint64_t>(output.elements) * static_cast<uint32_t>(count) != input.elements) {
    return Status::kUnsupportedShape;
  }
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  // An output's index is at most its elements' indices, so no element is overwritten before use.
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);

  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale, 1.0f, output.scale, 0, &factor));
  if (mean) DivideFactor(count, &factor);
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->offset =
      static_cast<int32_t>(static_cast<uint32_t>(-input.zero_point) * static_cast<uint32_t>(count));
  params->output_zero_point = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

void InvokeReduce(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(kInput);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  const ReduceLoop inner = params.loops.kept[2];
  for (int32_t i = 0; i < params.loops.kept[0].count; ++i) {
    const int8_t* row = input + i * params.loops.kept[0].stride;
    for (int32_t j = 0; j < params.loops.kept[1].count; ++j) {
      const int8_t* at = row;
      for (int32_t k = 0; k < inner.count; ++k) {
        const int32_t scaled =
            MultiplyByQuantizedMultiplier(Sum(params, at), params.multiplier, params.shift);
        *output++ = static_cast<int8_t>(
            Clamp(WrappingAdd(scaled, params.output_zero_point), INT8_MIN, INT8_MAX));
        at += inner.stride;
      }
      row += params.loops.kept[1].stride;
    }
  }
}

}  // namespace kws
