// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/padding.h"

#include <cstring>

#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

enum References { kInput, kValue, kOutput, kReferences };

// Followed by the copy's loops.
struct alignas(4) Params {
  uint32_t value;  // without input 2
  int16_t element_bytes;
  bool has_value;
  uint32_t output_bytes;
  StridedCopy copy;
};

Status CheckValue(const PrepareContext& context, const Tensor& output) {
  if (!context.HasInput(2)) return Status::kOk;
  Tensor value;
  KWS_RETURN_IF_ERROR(context.Input(2, &value));
  if (value.type != output.type) return Status::kUnsupportedType;
  if (value.elements != 1) return Status::kUnsupportedShape;
  if (value.type == TensorType::kInt8 &&
      (value.scale != output.scale || value.zero_point != output.zero_point)) {
    return Status::kBadQuantization;
  }
  return Status::kOk;
}

}  // namespace

Status PreparePad(PrepareContext& context, OptionsType options) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(options));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type ||
      (input.type != TensorType::kInt8 && input.type != TensorType::kInt16 &&
       input.type != TensorType::kInt32 && input.type != TensorType::kFloat32)) {
    return Status::kUnsupportedType;
  }
  if (input.rank < 1 || input.rank != output.rank) return Status::kUnsupportedShape;
  const bool is_int8 = input.type == TensorType::kInt8;
  if (is_int8) KWS_RETURN_IF_ERROR(CheckQuantized(output));
  KWS_RETURN_IF_ERROR(CheckValue(context, output));
  uint32_t paddings;
  KWS_RETURN_IF_ERROR(ConstantInts(context, 1, 2u * input.rank, &paddings));

  int32_t from_steps[kMaxRank];
  int32_t to_steps[kMaxRank];
  ByteSteps(input, from_steps);
  ByteSteps(output, to_steps);
  StridedCopyPlan plan;
  plan.copy = StridedCopy{0, static_cast<int32_t>(ElementSize(input.type)), 0, input.rank};
  for (int i = 0; i < input.rank; ++i) {
    const uint32_t at = paddings + 8 * static_cast<uint32_t>(i);
    const int32_t before = context.model().At<int32_t>(at);
    const int32_t behind = context.model().At<int32_t>(at + 4);
    if (before < 0 || behind < 0 || int64_t{input.dims[i]} + before + behind != output.dims[i]) {
      return Status::kUnsupportedShape;
    }
    plan.copy.to += before * to_steps[i];
    plan.loops[i] = CopyLoop{input.dims[i], from_steps[i], to_steps[i]};
  }
  plan.Simplify();

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params, plan.LoopBytes()));
  context.BindInput(kInput, 0);
  context.BindInput(kValue, 2);
  context.BindOutput(kOutput, 0);
  params->value = is_int8 ? static_cast<uint8_t>(output.zero_point) : 0;
  params->has_value = context.HasInput(2);
  params->element_bytes = static_cast<int16_t>(ElementSize(input.type));
  params->output_bytes = output.bytes;
  params->copy = plan.copy;
  std::memcpy(params + 1, plan.loops, plan.LoopBytes());
  return Status::kOk;
}

void InvokePad(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  uint8_t* output = context.MutableData<uint8_t>(kOutput);
  const uint8_t* value = params.has_value ? context.Data<uint8_t>(kValue)
                                          : reinterpret_cast<const uint8_t*>(&params.value);
  if (params.element_bytes == 1) {
    std::memset(output, *value, params.output_bytes);
  } else {
    const uint8_t* const end = output + params.output_bytes;
    for (uint8_t* to = output; to < end; to += params.element_bytes) {
      CopyForward(to, value, params.element_bytes);
    }
  }
  RunStridedCopy(params.copy, context.Extra<CopyLoop, Params>(), context.Data<uint8_t>(kInput),
                 output);
}

}  // namespace kws
