// SPDX-License-Identifier: Apache-2.0
// SVDF, int8 with an int8 or int16 state: a dense layer with `rank` filters per unit. Each filter
// is the product of a feature filter over one step and a time filter over the last `memory` steps.
//
// The state holds each feature filter's results of those steps, oldest first.
#include <cstring>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

// As in TFLM, the fused activation in slot 1 is not read; the output's range has the same effect.
enum Options { kRank = 0 };
enum Inputs { kInputTensor, kFeatureTensor, kTimeTensor, kBiasTensor, kStateTensor };
enum References { kInput, kFeature, kTime, kBias, kState, kOutput, kReferences };

struct alignas(4) Params {
  int32_t batches;
  int32_t features;
  int32_t filters;
  int32_t memory;
  int32_t rank;
  QuantizedMultiplier to_state;
  QuantizedMultiplier to_output;
  int16_t input_offset;
  int16_t state_zero_point;
  int16_t output_zero_point;
  bool wide;  // the state is int16
};

struct Tensors {
  Tensor input;
  Tensor feature;
  Tensor time;
  Tensor state;
  Tensor output;
};

Status CheckTypes(const Tensors& t) {
  const bool state = t.state.type == TensorType::kInt8 || t.state.type == TensorType::kInt16;
  if (t.input.type != TensorType::kInt8 || t.feature.type != TensorType::kInt8 || !state ||
      t.time.type != t.state.type || t.output.type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  if (!t.feature.is_constant() || !t.time.is_constant() || !t.state.is_variable ||
      t.state.is_constant()) {
    return Status::kUnsupportedOption;
  }
  if (t.feature.zero_point != 0 || t.time.zero_point != 0) return Status::kBadQuantization;
  const Tensor* const all[] = {&t.input, &t.feature, &t.time, &t.state, &t.output};
  for (const Tensor* tensor : all) {
    if (tensor->rank != 2) return Status::kUnsupportedShape;
    if (tensor->scale_count != 1) return Status::kBadQuantization;
    KWS_RETURN_IF_ERROR(CheckQuantized(*tensor));
  }
  return Status::kOk;
}

Status CheckShapes(const Tensors& t, int32_t rank) {
  const int32_t batches = t.input.dims[0];
  const int32_t filters = t.feature.dims[0];
  const int32_t memory = t.time.dims[1];
  if (rank < 1 || filters % rank != 0) return Status::kBadModel;
  if (t.feature.dims[1] != t.input.dims[1] || t.time.dims[0] != filters ||
      t.state.dims[0] != batches || t.state.dims[1] != int64_t{memory} * filters ||
      t.output.dims[0] != batches || t.output.dims[1] != filters / rank) {
    return Status::kUnsupportedShape;
  }
  return Status::kOk;
}

Status Prepare(PrepareContext& context) {
  Tensors t;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSvdf));
  KWS_RETURN_IF_ERROR(context.Input(kInputTensor, &t.input));
  KWS_RETURN_IF_ERROR(context.Input(kFeatureTensor, &t.feature));
  KWS_RETURN_IF_ERROR(context.Input(kTimeTensor, &t.time));
  KWS_RETURN_IF_ERROR(context.Input(kStateTensor, &t.state));
  KWS_RETURN_IF_ERROR(context.Output(0, &t.output));
  const int32_t rank = context.Option<int32_t>(kRank, 0);
  KWS_RETURN_IF_ERROR(CheckTypes(t));
  KWS_RETURN_IF_ERROR(CheckShapes(t, rank));
  KWS_RETURN_IF_ERROR(CheckBias(context, kBiasTensor, t.output.dims[1]));
  // TFLM computes both factors as doubles.
  QuantizedMultiplier to_state;
  QuantizedMultiplier to_output;
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(t.input.scale, t.feature.scale, t.state.scale, 0, &to_state));
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(t.state.scale, t.time.scale, t.output.scale, 0, &to_output));

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, kInputTensor);
  context.BindInput(kFeature, kFeatureTensor);
  context.BindInput(kTime, kTimeTensor);
  context.BindInput(kBias, kBiasTensor);
  context.BindInput(kState, kStateTensor);
  context.BindOutput(kOutput, 0);
  // All of the input is read before the first output is written.
  context.AllowOverlap(kInputTensor, 0, {-PlanEntry::kFar, -PlanEntry::kFar, true});
  params->batches = t.input.dims[0];
  params->features = t.input.dims[1];
  params->filters = t.feature.dims[0];
  params->memory = t.time.dims[1];
  params->rank = rank;
  params->to_state = to_state;
  params->to_output = to_output;
  params->input_offset = static_cast<int16_t>(-t.input.zero_point);
  params->state_zero_point = static_cast<int16_t>(t.state.zero_point);
  params->output_zero_point = static_cast<int16_t>(t.output.zero_point);
  params->wide = t.state.type == TensorType::kInt16;
  return Status::kOk;
}

int32_t TimeSum(const int8_t* state, const uint8_t* weights, int32_t memory, int32_t zero_point) {
  return Dot(state, reinterpret_cast<const int8_t*>(weights), memory, -zero_point);
}

int32_t TimeSum(const int16_t* state, const uint8_t* weights, int32_t memory, int32_t zero_point) {
  int32_t sum = 0;
  for (int32_t i = 0; i < memory; ++i) {
    // The model's data may be unaligned.
    sum = WrappingAdd(sum, LoadAs<int16_t>(weights + 2 * i) * (state[i] - zero_point));
  }
  return sum;
}

template <typename State>
void Run(const InvokeContext& context, const Params& params) {
  constexpr int32_t kMax = sizeof(State) == 1 ? INT8_MAX : INT16_MAX;
  State* states = context.MutableData<State>(kState);
  const int32_t count = params.batches * params.filters * params.memory;
  // Drops each filter's oldest step. It lands in the neighbour's newest slot, which is written
  // next.
  std::memmove(states, states + 1, static_cast<uint32_t>(count - 1) * sizeof(State));

  const int8_t* input = context.Data<int8_t>(kInput);
  State* newest = states + params.memory - 1;
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    const int8_t* feature = context.Data<int8_t>(kFeature);
    for (int32_t i = 0; i < params.filters; ++i) {
      const int32_t sum = Dot(input, feature, params.features, params.input_offset);
      const int32_t scaled =
          MultiplyByQuantizedMultiplier(sum, params.to_state.multiplier, params.to_state.shift);
      // As in TFLM, clamped before the zero point is added, which may wrap around.
      *newest = static_cast<State>(Clamp(scaled, -kMax - 1, kMax) + params.state_zero_point);
      newest += params.memory;
      feature += params.features;
    }
    input += params.features;
  }

  int8_t* output = context.MutableData<int8_t>(kOutput);
  const int32_t units = params.filters / params.rank;
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    const int32_t* bias = context.Data<int32_t>(kBias);
    const uint8_t* time = context.Data<uint8_t>(kTime);
    for (int32_t unit = 0; unit < units; ++unit) {
      int32_t sum = bias == nullptr ? 0 : LoadAs<int32_t>(bias++);
      for (int32_t i = 0; i < params.rank; ++i) {
        sum = WrappingAdd(sum, TimeSum(states, time, params.memory, params.state_zero_point));
        states += params.memory;
        time += params.memory * static_cast<int32_t>(sizeof(State));
      }
      const int32_t scaled =
          MultiplyByQuantizedMultiplier(sum, params.to_output.multiplier, params.to_output.shift);
      *output++ = static_cast<int8_t>(
          Clamp(WrappingAdd(scaled, params.output_zero_point), INT8_MIN, INT8_MAX));
    }
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  if (params.wide) {
    Run<int16_t>(context, params);
  } else {
    Run<int8_t>(context, params);
  }
}

// Sets the number 0. As in TFLM, an int16 state is the integer 0 whatever its zero point.
void Reset(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  if (params.wide) return;
  std::memset(context.MutableData<int8_t>(kState), params.state_zero_point,
              static_cast<uint32_t>(params.batches * params.filters * params.memory));
}

}  // namespace

KWS_REGISTER_STATEFUL(Svdf, Prepare, Invoke, Reset)

}  // namespace kws
