// SPDX-License-Identifier: Apache-2.0
// GATHER, any type: the output has a slice of the input per index, along an axis. Batch dimensions,
// which the input and the indices share, come first. An index out of range counts as the nearest
// one.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {
namespace {

enum Options { kAxis = 0, kBatchDims = 1 };
enum References { kInput, kIndices, kOutput, kReferences };

struct alignas(4) Params {
  int32_t batches;
  int32_t outer;  // slices of a batch before the axis
  int32_t size;   // of the axis
  int32_t slice_bytes;
  int32_t indices;  // of a batch
};

int32_t Product(const Tensor& tensor, int begin, int end) {
  int32_t product = 1;
  for (int i = begin; i < end; ++i) product *= tensor.dims[i];
  return product;
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor indices;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kGather));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Input(1, &indices));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0 || indices.type != TensorType::kInt32) {
    return Status::kUnsupportedType;
  }
  int32_t axis = context.Option<int32_t>(kAxis, 0);
  int32_t batch_dims = context.Option<int32_t>(kBatchDims, 0);
  if (axis < 0) axis += input.rank;
  if (batch_dims < 0) batch_dims += indices.rank;
  if (axis < 0 || axis >= input.rank || batch_dims < 0 || batch_dims > axis ||
      batch_dims > indices.rank) {
    return Status::kBadModel;
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (input.dims[i] != indices.dims[i]) return Status::kUnsupportedShape;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindInput(kIndices, 1);
  context.BindOutput(kOutput, 0);
  params->batches = Product(input, 0, batch_dims);
  params->outer = Product(input, batch_dims, axis);
  params->size = input.dims[axis];
  params->slice_bytes =
      Product(input, axis + 1, input.rank) * static_cast<int32_t>(ElementSize(input.type));
  params->indices = Product(indices, batch_dims, indices.rank);
  // Bytes of the output per index: not more than the input's, so that no product overflows.
  const uint64_t bytes = static_cast<uint64_t>(params->batches) *
                         static_cast<uint32_t>(params->outer) *
                         static_cast<uint32_t>(params->slice_bytes);
  return bytes * static_cast<uint32_t>(params->indices) == output.bytes ? Status::kOk
                                                                        : Status::kUnsupportedShape;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const uint8_t* input = context.Data<uint8_t>(kInput);
  const int32_t* indices = context.Data<int32_t>(kIndices);
  uint8_t* output = context.MutableData<uint8_t>(kOutput);
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    for (int32_t outer = 0; outer < params.outer; ++outer) {
      for (int32_t i = 0; i < params.indices; ++i) {
        const int32_t index = Clamp(LoadAs<int32_t>(indices + i), 0, params.size - 1);
        CopyForward(output, input + index * params.slice_bytes, params.slice_bytes);
        output += params.slice_bytes;
      }
      input += params.size * params.slice_bytes;
    }
    indices += params.indices;
  }
}

}  // namespace

KWS_REGISTER(Gather, Prepare, Invoke)

}  // namespace kws
