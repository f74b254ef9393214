// SPDX-License-Identifier: Apache-2.0
// DEQUANTIZE: int8, uint8 or int16 to float32, scale * (x - zero_point).
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  int32_t elements;
  int32_t zero_point;
  float scale;
  TensorType type;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  const bool is_short = input.type == TensorType::kInt16;
  if ((input.type != TensorType::kInt8 && input.type != TensorType::kUInt8 && !is_short) ||
      output.type != TensorType::kFloat32) {
    return Status::kUnsupportedType;
  }
  if (input.elements != output.elements) return Status::kUnsupportedShape;
  if (input.scale_count != 1 || !(input.scale > 0.0f) || input.zero_point < INT16_MIN ||
      input.zero_point > INT16_MAX) {
    return Status::kBadQuantization;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  params->elements = static_cast<int32_t>(input.elements);
  params->zero_point = input.zero_point;
  params->scale = input.scale;
  params->type = input.type;
  return Status::kOk;
}

// TFLM multiplies in double, which is exact, and rounds to float: the same single rounding.
void Invoke(const InvokeContext& context) {
  const Params params = context.Params<Params>();
  const uint8_t* input = context.Data<uint8_t>(kInput);
  float* output = context.MutableData<float>(kOutput);
  for (int32_t i = 0; i < params.elements; ++i) {
    int32_t x;
    if (params.type == TensorType::kInt16) {
      x = LoadAs<int16_t>(input + 2 * i);
    } else {
      x = params.type == TensorType::kInt8 ? static_cast<int8_t>(input[i]) : input[i];
    }
    output[i] = params.scale * static_cast<float>(x - params.zero_point);
  }
}

}  // namespace

KWS_REGISTER(Dequantize, Prepare, Invoke)

}  // namespace kws
