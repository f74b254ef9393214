// SPDX-License-Identifier: Apache-2.0
// SOFTMAX, int16: along the last dimension. The output has scale 1/32768 and zero point 0.
#include <array>

#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/double_multiplier.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/softmax.h"

namespace kws {
namespace {

// TFLM's tables, which tools/core_tables.cc computes: e^x in [-10, 0], and 1 / (1 + x) in [0, 1].
#include "kws/runtime/kernels/shared/softmax16_values.inc"

using Table = std::array<int16_t, 513>;

enum Options { kBeta = 0 };
// Three references more than the int8 kernel: this is the op's fourth kernel.
enum References { kInput, kOutput, kReferences = kSoftmaxReferences + 3 };

struct alignas(4) Params {
  int32_t rows;
  int32_t depth;
  int32_t multiplier;  // from a difference of inputs to 10 / 65535
  int32_t shift;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSoftmax));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != TensorType::kInt16 || output.type != TensorType::kInt16) {
    return Status::kUnsupportedType;
  }
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim() || input.last_dim() > kSoftmaxMaxDepth) {
    return Status::kUnsupportedShape;
  }
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  const float units = output.scale * 32768.0f;
  if (input.zero_point != 0 || output.zero_point != 0 || !(units > 0.999f && units < 1.001f)) {
    return Status::kBadQuantization;
  }
  const double factor =
      static_cast<double>(input.scale) * context.Option<float>(kBeta, 0.0f) / (10.0 / 65535.0);
  if (!(factor > 0.0 && factor < 1 << 30)) return Status::kBadQuantization;
  const QuantizedMultiplier quantized = MultiplierFromDouble(factor);
  if (quantized.shift > 30) return Status::kBadQuantization;

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = input.last_dim();
  params->multiplier = quantized.multiplier;
  params->shift = quantized.shift;
  return Status::kOk;
}

// The table has a point for each 128 of the 65,536 values of x; between points it is linear.
int32_t LookUp(const Table& table, int32_t x) {
  const int32_t saturated = Clamp(x, INT16_MIN, INT16_MAX);
  const int16_t* point = table.data() + 256 + (saturated >> 7);
  return point[0] + (((point[1] - point[0]) * (saturated & 127) + 64) >> 7);
}

// Writes `depth` probabilities; `output` may be `input`.
void SoftmaxRow(const Params& params, const int16_t* input, int16_t* output) {
  const int32_t depth = params.depth;
  int32_t largest = INT16_MIN;
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t x = LoadAs<int16_t>(input + i);
    if (largest < x) largest = x;
  }
  // Exponentials as Q0.15; the largest one is 32767.
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t difference = LoadAs<int16_t>(input + i) - largest;
    const int32_t scaled =
        MultiplyByQuantizedMultiplier(difference, params.multiplier, params.shift);
    output[i] = static_cast<int16_t>(LookUp(kExponentials, WrappingAdd(scaled, INT16_MAX)));
    sum += output[i];
  }
  // The sum is 2^(integer bits of it) * (1 + fraction); the fraction as 16 bits around 0.
  const int leading_zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const int32_t normalized = (sum << (leading_zeros - 1)) / 2 + (1 << 12);
  const int32_t reciprocal = LookUp(kReciprocals, (normalized >> 13) - (3 << 15));
  const int shift = 31 - leading_zeros;
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t probability = (output[i] * reciprocal + (1 << (shift - 1))) >> shift;
    output[i] = static_cast<int16_t>(Clamp(probability, 0, INT16_MAX));
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int16_t* input = context.Data<int16_t>(kInput);
  int16_t* output = context.MutableData<int16_t>(kOutput);
  for (int32_t row = 0; row < params.rows; ++row) {
    SoftmaxRow(params, input, output);
    input += params.depth;
    output += params.depth;
  }
}

}  // namespace

KWS_REGISTER_TYPE(Softmax, Int16, Prepare, Invoke)

}  // namespace kws
