// FULLY_CONNECTED, int8: output[b][o] = sum of input[b][i] * filter[o][i], plus bias.
#include "runtime/kernel_context.h"
#include "runtime/kernels/dot.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/quantization.h"

namespace kws {
namespace {

enum Options { kActivation = 0, kWeightsFormat = 1 };
enum References { kInput, kFilter, kBias, kOutput, kReferences };

// Followed by the output stage's factors.
struct alignas(4) Params {
  int32_t batches;
  int32_t depth;
  int32_t units;
  OutputStage stage;
  int16_t input_offset;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor filter;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kFullyConnected));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Input(1, &filter));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != TensorType::kInt8 || filter.type != TensorType::kInt8 ||
      output.type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  if (context.Option<uint8_t>(kWeightsFormat, 0) != 0 || !filter.is_constant()) {
    return Status::kUnsupportedOption;
  }
  if (filter.rank != 2 || output.rank < 1) return Status::kUnsupportedShape;
  const int32_t units = filter.dims[0];
  const int32_t depth = filter.dims[1];
  const uint32_t batches = output.elements / static_cast<uint32_t>(units);
  if (output.last_dim() != units ||
      static_cast<uint64_t>(batches) * static_cast<uint32_t>(depth) != input.elements) {
    return Status::kUnsupportedShape;
  }
  KWS_RETURN_IF_ERROR(CheckBias(context, units));
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  KWS_RETURN_IF_ERROR(CheckQuantized(output));
  uint32_t count;
  KWS_RETURN_IF_ERROR(FactorCount(filter, units, 0, &count));

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params, FactorBytes(count)));
  context.BindInput(kInput, 0);
  context.BindInput(kFilter, 1);
  context.BindInput(kBias, 2);
  context.BindOutput(kOutput, 0);
  params->batches = static_cast<int32_t>(batches);
  params->depth = depth;
  params->units = units;
  params->input_offset = static_cast<int16_t>(-input.zero_point);
  int32_t* factors = reinterpret_cast<int32_t*>(params + 1);
  KWS_RETURN_IF_ERROR(
      MakeOutputStage(context, kActivation, input, filter, output, &params->stage, factors));
  if (count > 1) return Status::kOk;
  // With one scale, TFLM multiplies input and filter scale as floats.
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(input.scale * filter.scale, 1.0f, output.scale, 0, &factor));
  factors[0] = factor.multiplier;
  *reinterpret_cast<int8_t*>(factors + 1) = static_cast<int8_t>(factor.shift);
  params->stage.usual = params->stage.min == INT8_MIN && params->stage.max == INT8_MAX &&
                        factor.shift <= -1 && factor.shift >= -20;
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(kInput);
  const int32_t* bias = context.Data<int32_t>(kBias);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  const int32_t depth = params.depth;
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    const int8_t* filter = context.Data<int8_t>(kFilter);
    Outputs outputs(params.stage, context.Extra<int32_t, Params>(), params.units);
    int32_t unit = 0;
    for (; unit + kDotRows <= params.units; unit += kDotRows) {
      RowSums sums = DotRows(input, filter, depth, params.input_offset);
      for (int i = 0; i < kDotRows; ++i) {
        if (bias != nullptr)
          sums.sum[i] = WrappingAdd(sums.sum[i], LoadAs<int32_t>(bias + unit + i));
        outputs.Write<1>(&sums.sum[i], output++, 0);
        outputs.Skip(1);
      }
      filter += kDotRows * depth;
    }
    for (; unit < params.units; ++unit) {
      const int32_t start = bias == nullptr ? 0 : LoadAs<int32_t>(bias + unit);
      const int32_t sum = WrappingAdd(start, Dot(input, filter, depth, params.input_offset));
      outputs.Write<1>(&sum, output++, 0);
      outputs.Skip(1);
      filter += depth;
    }
    input += depth;
  }
}

constexpr Registration kRegistration{BuiltinOp::kFullyConnected, Prepare, Invoke};

}  // namespace

const Registration& kernels::FullyConnected() { return kRegistration; }

}  // namespace kws
