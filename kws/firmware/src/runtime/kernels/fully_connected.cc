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

// Followed by int32 multipliers and int8 shifts, one for all outputs or one each.
struct alignas(4) Params {
  int32_t batches;
  int32_t depth;
  int32_t units;
  OutputStage stage;
  int16_t input_offset;
  uint16_t channel_step;  // 0: one multiplier for all
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
  KWS_RETURN_IF_ERROR(ChannelMultiplierCount(filter, units, 0, &count));

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params, 5 * count));
  context.BindInput(kInput, 0);
  context.BindInput(kFilter, 1);
  context.BindInput(kBias, 2);
  context.BindOutput(kOutput, 0);
  params->batches = static_cast<int32_t>(batches);
  params->depth = depth;
  params->units = units;
  params->input_offset = static_cast<int16_t>(-input.zero_point);
  KWS_RETURN_IF_ERROR(MakeOutputStage(context, kActivation, output, &params->stage));
  params->channel_step = count == 1 ? 0 : 1;
  int32_t* multipliers = reinterpret_cast<int32_t*>(params + 1);
  int8_t* shifts = reinterpret_cast<int8_t*>(multipliers + count);
  if (count == 1) {
    // With one scale, TFLM multiplies input and filter scale as floats.
    QuantizedMultiplier factor;
    KWS_RETURN_IF_ERROR(
        MultiplierFromScales(input.scale * filter.scale, 1.0f, output.scale, 0, &factor));
    multipliers[0] = factor.multiplier;
    shifts[0] = static_cast<int8_t>(factor.shift);
    return Status::kOk;
  }
  return FillChannelMultipliers(context.model(), input, filter, output, count, multipliers, shifts);
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(kInput);
  const int32_t* bias = context.Data<int32_t>(kBias);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  const int32_t* multipliers = context.Extra<int32_t, Params>();
  const int8_t* shifts =
      reinterpret_cast<const int8_t*>(multipliers + (params.channel_step == 0 ? 1 : params.units));
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    const int8_t* filter = context.Data<int8_t>(kFilter);
    for (int32_t unit = 0; unit < params.units; ++unit) {
      const int32_t start = bias == nullptr ? 0 : LoadAs<int32_t>(bias + unit);
      const int32_t sum = WrappingAdd(start, Dot(input, filter, params.depth, params.input_offset));
      const int32_t channel = unit * params.channel_step;
      *output++ = ToInt8(sum, multipliers[channel], shifts[channel], params.stage);
      filter += params.depth;
    }
    input += params.depth;
  }
}

constexpr Registration kRegistration{BuiltinOp::kFullyConnected, Prepare, Invoke};

}  // namespace

const Registration& kernels::FullyConnected() { return kRegistration; }

}  // namespace kws
