// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM, float32: the plain LSTM, as the int8 kernel's.
#include <cstring>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_math.h"
#include "kws/runtime/kernels/shared/lstm.h"

namespace kws {
namespace {

using namespace lstm;

constexpr int kReferences = kLstmReferences + kFloat32Mark;

struct alignas(4) Params {
  int32_t batches;
  int32_t steps;
  int32_t inputs;
  int32_t units;
  float clip;  // the cell's maximum magnitude; 0: not clipped
  bool time_major;
};

Status CheckConstant(const PrepareContext& context, int i, int64_t elements) {
  Tensor tensor;
  KWS_RETURN_IF_ERROR(context.Input(i, &tensor));
  if (tensor.type != TensorType::kFloat32) return Status::kUnsupportedType;
  if (!tensor.is_constant()) return Status::kUnsupportedOption;
  return tensor.elements == elements ? Status::kOk : Status::kUnsupportedShape;
}

Status CheckState(const PrepareContext& context, int i, int64_t elements) {
  Tensor tensor;
  KWS_RETURN_IF_ERROR(context.Input(i, &tensor));
  if (tensor.type != TensorType::kFloat32) return Status::kUnsupportedType;
  if (!tensor.is_variable || tensor.is_constant()) return Status::kUnsupportedOption;
  return tensor.elements == elements ? Status::kOk : Status::kUnsupportedShape;
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kUnidirectionalSequenceLstm));
  KWS_RETURN_IF_ERROR(ReadFloat32(context, &input, &output));
  if (!IsPlain(context)) return Status::kUnsupportedOption;
  if (input.rank != 3 || output.rank != 3 || output.dims[0] != input.dims[0] ||
      output.dims[1] != input.dims[1]) {
    return Status::kUnsupportedShape;
  }
  const bool time_major = context.Option<uint8_t>(kTimeMajor, 0) != 0;
  const int32_t batches = input.dims[time_major ? 1 : 0];
  const int32_t inputs = input.dims[2];
  const int32_t units = output.dims[2];
  KWS_RETURN_IF_ERROR(CheckState(context, kHiddenTensor, int64_t{batches} * units));
  KWS_RETURN_IF_ERROR(CheckState(context, kCellTensor, int64_t{batches} * units));
  for (int gate = 0; gate < kGates; ++gate) {
    KWS_RETURN_IF_ERROR(CheckConstant(context, kFirstWeights + gate, int64_t{units} * inputs));
    KWS_RETURN_IF_ERROR(CheckConstant(context, kFirstRecurrent + gate, int64_t{units} * units));
    KWS_RETURN_IF_ERROR(CheckConstant(context, kFirstBias + gate, units));
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, kInputTensor);
  context.BindInput(kHidden, kHiddenTensor);
  context.BindInput(kCell, kCellTensor);
  context.BindOutput(kOutput, 0);
  for (int gate = 0; gate < kGates; ++gate) {
    context.BindInput(kWeights + gate, kFirstWeights + gate);
    context.BindInput(kRecurrent + gate, kFirstRecurrent + gate);
    context.BindInput(kBias + gate, kFirstBias + gate);
  }
  params->batches = batches;
  params->steps = input.dims[time_major ? 0 : 1];
  params->inputs = inputs;
  params->units = units;
  params->clip = context.Option<float>(kCellClip, 0.0f);
  params->time_major = time_major;
  return Status::kOk;
}

float Dot(const float* a, const float* weights, int32_t count) {
  float sum = 0.0f;
  for (int32_t i = 0; i < count; ++i) sum += LoadAs<float>(a + i) * LoadAs<float>(weights + i);
  return sum;
}

// Before the activation.
float GateSum(const InvokeContext& context, const Params& params, int gate, int32_t unit,
              const float* input, const float* hidden) {
  const float* weights = context.Data<float>(kWeights + gate) + unit * params.inputs;
  const float* recurrent = context.Data<float>(kRecurrent + gate) + unit * params.units;
  const float bias = LoadAs<float>(context.Data<float>(kBias + gate) + unit);
  return (Dot(input, weights, params.inputs) + bias) + Dot(hidden, recurrent, params.units);
}

// One step of one batch entry. The new h is written to the output, since the old h is still needed.
void Step(const InvokeContext& context, const Params& params, const float* input,
          const float* hidden, float* cell, float* output) {
  for (int32_t unit = 0; unit < params.units; ++unit) {
    const auto sum = [&](int gate) { return GateSum(context, params, gate, unit, input, hidden); };
    const float kept = Logistic(sum(kForgetGate)) * cell[unit];
    float value = kept + Logistic(sum(kInputGate)) * Tanh(sum(kCandidate));
    if (params.clip > 0.0f) value = FloatRange{-params.clip, params.clip}.Clip(value);
    cell[unit] = value;
    output[unit] = Tanh(value) * Logistic(sum(kOutputGate));
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    float* hidden = context.MutableData<float>(kHidden) + batch * params.units;
    float* cell = context.MutableData<float>(kCell) + batch * params.units;
    for (int32_t step = 0; step < params.steps; ++step) {
      const int32_t row =
          params.time_major ? step * params.batches + batch : batch * params.steps + step;
      float* output = context.MutableData<float>(kOutput) + row * params.units;
      Step(context, params, context.Data<float>(kInput) + row * params.inputs, hidden, cell,
           output);
      std::memcpy(hidden, output, 4u * static_cast<uint32_t>(params.units));
    }
  }
}

}  // namespace

KWS_REGISTER_TYPE(UnidirectionalSequenceLSTM, Float32, Prepare, Invoke)

}  // namespace kws
