// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/reduce.h"

#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/reduce_loops.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

// Neighbouring dimensions that are all reduced, or all kept, are merged: kept, reduced, kept, ...
struct Loop {
  int32_t count;
  int32_t stride;
};
constexpr int kLoops = kMaxRank / 2;

struct alignas(4) Params {
  Loop kept[kLoops];  // outermost first; unused ones count 1
  Loop reduced[kLoops];
  int32_t multiplier;
  int32_t offset;  // of a sum, for the input's zero point
  int16_t output_zero_point;
  int8_t shift;
};

// Bit i: dimension i is reduced.
Status ReadAxes(const PrepareContext& context, const Tensor& input, uint32_t* axes) {
  Tensor axis;
  KWS_RETURN_IF_ERROR(context.Input(1, &axis));
  if (axis.type != TensorType::kInt32) return Status::kUnsupportedType;
  if (!axis.is_constant()) return Status::kUnsupportedOption;
  const FlatVector values{axis.data, axis.elements};
  *axes = 0;
  for (uint32_t i = 0; i < values.count && input.rank > 0; ++i) {
    int32_t dim = context.model().Element<int32_t>(values, i);
    if (dim < 0 && dim >= -kMaxRank) dim += input.rank;
    if (dim < 0 || dim >= input.rank) return Status::kBadModel;
    *axes |= 1u << dim;
  }
  return Status::kOk;
}

// Fills the loops and returns the number of elements per sum.
int32_t PlanLoops(const Tensor& input, uint32_t axes, Params* params) {
  for (int i = 0; i < kLoops; ++i) {
    params->kept[i] = Loop{1, 0};
    params->reduced[i] = Loop{1, 0};
  }
  int next[2] = {kLoops, kLoops};  // the newest loop, kept and reduced
  int newest = -1;                 // 0: kept, 1: reduced
  int32_t stride = 1;
  int32_t count = 1;
  for (int dim = input.rank - 1; dim >= 0; --dim) {
    const int32_t size = input.dims[dim];
    if (size == 1) continue;
    const int reduced = (axes >> dim) & 1;
    Loop* loops = reduced == 1 ? params->reduced : params->kept;
    if (reduced != newest) loops[--next[reduced]] = Loop{1, stride};
    newest = reduced;
    loops[next[reduced]].count *= size;
    stride *= size;
    if (reduced == 1) count *= size;
  }
  return count;
}

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
  const Loop inner = params.reduced[2];
  int32_t sum = params.offset;
  for (int32_t i = 0; i < params.reduced[0].count; ++i) {
    const int8_t* row = input + i * params.reduced[0].stride;
    for (int32_t j = 0; j < params.reduced[1].count; ++j) {
      sum = SumOfValues(row, inner.count, inner.stride, sum);
      row += params.reduced[1].stride;
    }
  }
  return sum;
}

}  // namespace

Status PrepareReduce(PrepareContext& context, bool mean) {
  static_assert(kLoops == 3, "the loops are written out");
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kReducer));
  KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  uint32_t axes;
  KWS_RETURN_IF_ERROR(ReadAxes(context, input, &axes));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  const int32_t count = PlanLoops(input, axes, params);
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
  const Loop inner = params.kept[2];
  for (int32_t i = 0; i < params.kept[0].count; ++i) {
    const int8_t* row = input + i * params.kept[0].stride;
    for (int32_t j = 0; j < params.kept[1].count; ++j) {
      const int8_t* at = row;
      for (int32_t k = 0; k < inner.count; ++k) {
        const int32_t scaled =
            MultiplyByQuantizedMultiplier(Sum(params, at), params.multiplier, params.shift);
        *output++ = static_cast<int8_t>(
            Clamp(WrappingAdd(scaled, params.output_zero_point), INT8_MIN, INT8_MAX));
        at += inner.stride;
      }
      row += params.kept[1].stride;
    }
  }
}

}  // namespace kws
