// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM, int8 with an int16 cell: the plain LSTM, without peepholes,
// projection or layer normalization.
//
// In each step, from the input x and the previous hidden state h:
//   gate = activation(weights * x + bias + recurrent weights * h)   (Q3.12 to Q0.15)
//   cell = forget * cell + input * candidate,   h = output * tanh(cell)
#include <cstring>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/lstm.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/sigmoid16.h"

namespace kws {
namespace {

using namespace lstm;

constexpr float kGateScale = 1.0f / (1 << 12);       // before a gate's activation
constexpr float kActivatedScale = 1.0f / (1 << 15);  // after it
constexpr int kMaxTanhShift = 14;

struct alignas(4) Params {
  int32_t batches;
  int32_t steps;
  int32_t inputs;
  int32_t units;
  QuantizedMultiplier from_input[kGates];
  QuantizedMultiplier from_hidden[kGates];
  QuantizedMultiplier forget;     // forget * cell to cell
  QuantizedMultiplier remember;   // input * candidate to cell
  QuantizedMultiplier to_hidden;  // output * tanh(cell) to h
  int16_t input_offset;
  int16_t hidden_zero_point;
  int16_t clip;       // the cell's maximum magnitude; negative: not clipped
  int8_t tanh_shift;  // left shift from the cell's scale to Q3.12
  bool time_major;
};

// scale = 2^*power.
bool IsPowerOfTwo(float scale, int* power) {
  uint32_t bits;
  std::memcpy(&bits, &scale, sizeof(bits));
  *power = static_cast<int>(bits >> 23) - 127;
  return scale > 0.0f && (bits & 0x7fffff) == 0 && *power > -127;
}

Status CheckWeights(const PrepareContext& context, int i, int32_t rows, int32_t columns,
                    Tensor* weights) {
  KWS_RETURN_IF_ERROR(context.Input(i, weights));
  if (weights->type != TensorType::kInt8) return Status::kUnsupportedType;
  if (!weights->is_constant()) return Status::kUnsupportedOption;
  if (weights->rank != 2 || weights->dims[0] != rows || weights->dims[1] != columns) {
    return Status::kUnsupportedShape;
  }
  return weights->scale_count == 1 && weights->zero_point == 0 ? Status::kOk
                                                               : Status::kBadQuantization;
}

Status CheckState(const Tensor& state, TensorType type, int64_t elements) {
  if (state.type != type) return Status::kUnsupportedType;
  if (!state.is_variable || state.is_constant()) return Status::kUnsupportedOption;
  if (state.elements != elements) return Status::kUnsupportedShape;
  return CheckQuantized(state);
}

// The product of two scales as a float, as in FULLY_CONNECTED.
Status GateFactor(float a, float b, QuantizedMultiplier* factor) {
  return MultiplierFromScales(a * b, 1.0f, kGateScale, 0, factor);
}

Status PrepareCell(const PrepareContext& context, const Tensor& cell, const Tensor& hidden,
                   Params* params) {
  int power;
  if (cell.zero_point != 0 || !IsPowerOfTwo(cell.scale, &power)) return Status::kBadQuantization;
  const int tanh_shift = power + 12;
  if (tanh_shift < -kMaxTanhShift || tanh_shift > kMaxTanhShift) return Status::kBadQuantization;
  params->tanh_shift = static_cast<int8_t>(tanh_shift);
  const float clip = context.Option<float>(kCellClip, 0.0f) / cell.scale;
  params->clip = -1;
  if (clip > 0.0f) params->clip = clip < 32767.0f ? static_cast<int16_t>(clip) : INT16_MAX;
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(kActivatedScale, cell.scale, cell.scale, 0, &params->forget));
  KWS_RETURN_IF_ERROR(
      MultiplierFromScales(kActivatedScale, kActivatedScale, cell.scale, 0, &params->remember));
  return MultiplierFromScales(kActivatedScale, kActivatedScale, hidden.scale, 0,
                              &params->to_hidden);
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor hidden;
  Tensor cell;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kUnidirectionalSequenceLstm));
  KWS_RETURN_IF_ERROR(context.Input(kInputTensor, &input));
  KWS_RETURN_IF_ERROR(context.Input(kHiddenTensor, &hidden));
  KWS_RETURN_IF_ERROR(context.Input(kCellTensor, &cell));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (!IsPlain(context)) return Status::kUnsupportedOption;
  if (input.type != TensorType::kInt8 || output.type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  if (input.rank != 3 || output.rank != 3 || output.dims[0] != input.dims[0] ||
      output.dims[1] != input.dims[1]) {
    return Status::kUnsupportedShape;
  }
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  const bool time_major = context.Option<uint8_t>(kTimeMajor, 0) != 0;
  const int32_t batches = input.dims[time_major ? 1 : 0];
  const int32_t units = output.dims[2];
  KWS_RETURN_IF_ERROR(CheckState(hidden, TensorType::kInt8, int64_t{batches} * units));
  KWS_RETURN_IF_ERROR(CheckState(cell, TensorType::kInt16, int64_t{batches} * units));

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kLstmReferences, &params));
  context.BindInput(kInput, kInputTensor);
  context.BindInput(kHidden, kHiddenTensor);
  context.BindInput(kCell, kCellTensor);
  context.BindOutput(kOutput, 0);
  params->batches = batches;
  params->steps = input.dims[time_major ? 0 : 1];
  params->inputs = input.dims[2];
  params->units = units;
  params->input_offset = static_cast<int16_t>(-input.zero_point);
  params->hidden_zero_point = static_cast<int16_t>(hidden.zero_point);
  params->time_major = time_major;
  for (int gate = 0; gate < kGates; ++gate) {
    Tensor weights;
    Tensor recurrent;
    KWS_RETURN_IF_ERROR(
        CheckWeights(context, kFirstWeights + gate, units, params->inputs, &weights));
    KWS_RETURN_IF_ERROR(CheckWeights(context, kFirstRecurrent + gate, units, units, &recurrent));
    if (!context.HasInput(kFirstBias + gate)) return Status::kBadModel;
    KWS_RETURN_IF_ERROR(CheckBias(context, kFirstBias + gate, units));
    KWS_RETURN_IF_ERROR(GateFactor(input.scale, weights.scale, &params->from_input[gate]));
    KWS_RETURN_IF_ERROR(GateFactor(hidden.scale, recurrent.scale, &params->from_hidden[gate]));
    context.BindInput(kWeights + gate, kFirstWeights + gate);
    context.BindInput(kRecurrent + gate, kFirstRecurrent + gate);
    context.BindInput(kBias + gate, kFirstBias + gate);
  }
  return PrepareCell(context, cell, hidden, params);
}

int16_t Saturate(int32_t x) { return static_cast<int16_t>(Clamp(x, INT16_MIN, INT16_MAX)); }

int16_t Scale(int32_t x, const QuantizedMultiplier& factor) {
  return Saturate(MultiplyByQuantizedMultiplier(x, factor.multiplier, factor.shift));
}

// Before the activation.
int16_t GateSum(const InvokeContext& context, const Params& params, int gate, int32_t unit,
                const int8_t* input, const int8_t* hidden) {
  const int8_t* weights = context.Data<int8_t>(kWeights + gate) + unit * params.inputs;
  const int8_t* recurrent = context.Data<int8_t>(kRecurrent + gate) + unit * params.units;
  const int32_t bias = LoadAs<int32_t>(context.Data<int32_t>(kBias + gate) + unit);
  const int32_t a = Dot(input, weights, params.inputs, params.input_offset);
  const int32_t b = Dot(hidden, recurrent, params.units, -params.hidden_zero_point);
  return Saturate(Scale(WrappingAdd(a, bias), params.from_input[gate]) +
                  Scale(b, params.from_hidden[gate]));
}

int16_t TanhOfCell(int16_t cell, int shift) {
  if (shift >= 0) return Tanh16(cell * (3 << shift));
  return Tanh16((cell * 3 + (1 << (-shift - 1))) >> -shift);
}

// One step of one batch entry. The new h is written to the output, since the old h is still needed.
void Step(const InvokeContext& context, const Params& params, const int8_t* input,
          const int8_t* hidden, int16_t* cell, int8_t* output) {
  for (int32_t unit = 0; unit < params.units; ++unit) {
    const auto sum = [&](int gate) { return GateSum(context, params, gate, unit, input, hidden); };
    const int32_t kept = Scale(Sigmoid16(sum(kForgetGate)) * cell[unit], params.forget);
    const int32_t added =
        Scale(Sigmoid16(sum(kInputGate)) * Tanh16(3 * sum(kCandidate)), params.remember);
    int16_t value = Saturate(kept + added);
    if (params.clip >= 0) {
      value = static_cast<int16_t>(Clamp(value, -params.clip, params.clip));
    }
    cell[unit] = value;
    const int32_t product = TanhOfCell(value, params.tanh_shift) * Sigmoid16(sum(kOutputGate));
    const int32_t scaled =
        MultiplyByQuantizedMultiplier(product, params.to_hidden.multiplier, params.to_hidden.shift);
    output[unit] = static_cast<int8_t>(
        Clamp(WrappingAdd(scaled, params.hidden_zero_point), INT8_MIN, INT8_MAX));
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    int8_t* hidden = context.MutableData<int8_t>(kHidden) + batch * params.units;
    int16_t* cell = context.MutableData<int16_t>(kCell) + batch * params.units;
    for (int32_t step = 0; step < params.steps; ++step) {
      const int32_t row =
          params.time_major ? step * params.batches + batch : batch * params.steps + step;
      int8_t* output = context.MutableData<int8_t>(kOutput) + row * params.units;
      Step(context, params, context.Data<int8_t>(kInput) + row * params.inputs, hidden, cell,
           output);
      std::memcpy(hidden, output, static_cast<uint32_t>(params.units));
    }
  }
}

// Sets h to the number 0; the cell is zeroed already.
void Reset(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  std::memset(context.MutableData<int8_t>(kHidden), params.hidden_zero_point,
              static_cast<uint32_t>(params.batches * params.units));
}

}  // namespace

KWS_REGISTER_STATEFUL(UnidirectionalSequenceLSTM, Prepare, Invoke, Reset)

}  // namespace kws
