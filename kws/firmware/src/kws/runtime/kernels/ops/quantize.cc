// SPDX-License-Identifier: Apache-2.0
// QUANTIZE: TFLM's pairs of types. float32 to int8 or int16; int8 to int8, uint8, int16, int32;
// uint8 to int8; int16 to int8, int16, int32; int32 to int8, int16.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

// The output types of an input type, as bits.
constexpr uint32_t Bit(TensorType type) { return 1u << static_cast<int>(type); }

uint32_t OutputTypes(TensorType input) {
  constexpr uint32_t kShort = Bit(TensorType::kInt8) | Bit(TensorType::kInt16);
  constexpr uint32_t kSigned = kShort | Bit(TensorType::kInt32);
  switch (input) {
    case TensorType::kFloat32:
    case TensorType::kInt32:
      return kShort;
    case TensorType::kInt16:
      return kSigned;
    case TensorType::kInt8:
      return kSigned | Bit(TensorType::kUInt8);
    case TensorType::kUInt8:
      return Bit(TensorType::kInt8);
    default:
      return 0;
  }
}

struct alignas(4) Params {
  LookupTable map;
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t min;
  int32_t max;
  float scale;         // of the output, for a float input
  int32_t multiplier;  // between the scales, for the others
  int8_t shift;
  TensorType input;
  TensorType output;
};

// The range of a type; the range of int32 for types that are not 8-bit or 16-bit integers.
void Range(TensorType type, int32_t* min, int32_t* max) {
  *min = INT32_MIN;
  *max = INT32_MAX;
  if (type == TensorType::kInt32 || type == TensorType::kFloat32) return;
  const int32_t values = type == TensorType::kInt16 ? 1 << 16 : 1 << 8;
  *min = type == TensorType::kUInt8 ? 0 : -values / 2;
  *max = *min + values - 1;
}

Status CheckScale(const Tensor& tensor) {
  int32_t min;
  int32_t max;
  Range(tensor.type, &min, &max);
  return tensor.scale_count == 1 && tensor.scale > 0.0f && tensor.zero_point >= min &&
                 tensor.zero_point <= max
             ? Status::kOk
             : Status::kBadQuantization;
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (static_cast<int>(output.type) > 31 || (OutputTypes(input.type) & Bit(output.type)) == 0) {
    return Status::kUnsupportedType;
  }
  if (input.elements != output.elements) return Status::kUnsupportedShape;
  KWS_RETURN_IF_ERROR(CheckScale(output));
  QuantizedMultiplier factor{0, 0};
  if (input.type != TensorType::kFloat32) {
    KWS_RETURN_IF_ERROR(CheckScale(input));
    KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale, 1.0f, output.scale, 0, &factor));
  }

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(LookupTable::kReferences, &params));
  if (input.bytes == input.elements && output.bytes == output.elements) {
    KWS_RETURN_IF_ERROR(BindLookupTable(context, input.elements, &params->map));
  } else {
    params->map.elements = static_cast<int32_t>(input.elements);
    context.BindInput(LookupTable::kInput, 0);
    context.BindOutput(LookupTable::kOutput, 0);
    // Elements are computed in order; larger outputs would overwrite unread inputs.
    if (output.bytes <= input.bytes) context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  }
  Range(output.type, &params->min, &params->max);
  params->input_zero_point = input.zero_point;
  params->output_zero_point = output.zero_point;
  params->scale = output.scale;
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->input = input.type;
  params->output = output.type;
  return Status::kOk;
}

// Constants of the model may be unaligned.
int32_t Load(const void* from, TensorType type) {
  switch (type) {
    case TensorType::kInt8:
      return LoadAs<int8_t>(from);
    case TensorType::kUInt8:
      return LoadAs<uint8_t>(from);
    case TensorType::kInt16:
      return LoadAs<int16_t>(from);
    default:
      return LoadAs<int32_t>(from);
  }
}

void Store(void* to, TensorType type, int32_t value) {
  switch (ElementSize(type)) {
    case 1:
      *static_cast<uint8_t*>(to) = static_cast<uint8_t>(value);
      return;
    case 2:
      *static_cast<uint16_t*>(to) = static_cast<uint16_t>(value);
      return;
    default:
      *static_cast<int32_t*>(to) = value;
  }
}

// Clamped far outside 16 bits plus zero point. NaN becomes the lowest value.
int32_t RoundToNearInt(float x) {
  constexpr float kFar = 262144.0f;
  if (!(x > -kFar)) return static_cast<int32_t>(-kFar);
  if (x > kFar) return static_cast<int32_t>(kFar);
  return RoundToInt(x);
}

void Compute(const InvokeContext& context, const int8_t* input, int8_t* output, int32_t count) {
  const Params& params = context.Params<Params>();
  const uint32_t input_step = ElementSize(params.input);
  const uint32_t output_step = ElementSize(params.output);
  for (int32_t i = 0; i < count; ++i) {
    int32_t scaled;
    if (params.input == TensorType::kFloat32) {
      scaled = RoundToNearInt(LoadAs<float>(input) / params.scale);
    } else {
      // int32 may wrap around here, as in TFLM.
      const int32_t x =
          WrappingAdd(Load(input, params.input), WrappingAdd(~params.input_zero_point, 1));
      scaled = MultiplyByQuantizedMultiplier(x, params.multiplier, params.shift);
    }
    Store(output, params.output,
          Clamp(WrappingAdd(scaled, params.output_zero_point), params.min, params.max));
    input += input_step;
    output += output_step;
  }
}

void Invoke(const InvokeContext& context) {
  InvokeLookupTable(context, context.Params<Params>().map, Compute);
}

}  // namespace

KWS_REGISTER(Quantize, Prepare, Invoke)

}  // namespace kws
