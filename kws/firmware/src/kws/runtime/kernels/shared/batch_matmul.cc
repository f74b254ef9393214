// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/batch_matmul.h"

namespace kws {
namespace {

enum Options { kTransposeA = 0, kTransposeB = 1 };

constexpr int kBatchDims = kMaxRank - 2;

// Dimension `i` of the batch dimensions, padded to kBatchDims with ones in front.
int32_t BatchDim(const Tensor& tensor, int i) {
  const int at = i - kBatchDims + tensor.rank - 2;
  return at < 0 ? 1 : tensor.dims[at];
}

void SetBatchSteps(const Tensor& tensor, MatrixSteps* steps) {
  int32_t step = tensor.dims[tensor.rank - 1] * tensor.dims[tensor.rank - 2];
  for (int i = kBatchDims - 1; i >= 0; --i) {
    const int32_t dim = BatchDim(tensor, i);
    steps->batch[i] = dim == 1 ? 0 : step;
    step *= dim;
  }
}

}  // namespace

Status BatchMatMul::Read(const PrepareContext& context, TensorType type, Tensor* a_tensor,
                         Tensor* b_tensor, Tensor* output) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kBatchMatMul));
  KWS_RETURN_IF_ERROR(context.Input(0, a_tensor));
  KWS_RETURN_IF_ERROR(context.Input(1, b_tensor));
  KWS_RETURN_IF_ERROR(context.Output(0, output));
  if (a_tensor->type != type || b_tensor->type != type || output->type != type) {
    return Status::kUnsupportedType;
  }
  if (a_tensor->rank < 2 || b_tensor->rank < 2 || output->rank < 2) {
    return Status::kUnsupportedShape;
  }
  const bool turn_a = context.Option<uint8_t>(kTransposeA, 0) != 0;
  const bool turn_b = context.Option<uint8_t>(kTransposeB, 0) != 0;
  const int32_t* a_dims = a_tensor->dims + a_tensor->rank - 2;
  const int32_t* b_dims = b_tensor->dims + b_tensor->rank - 2;
  rows = a_dims[turn_a ? 1 : 0];
  depth = a_dims[turn_a ? 0 : 1];
  columns = b_dims[turn_b ? 0 : 1];
  if (b_dims[turn_b ? 1 : 0] != depth || output->dims[output->rank - 2] != rows ||
      output->dims[output->rank - 1] != columns) {
    return Status::kUnsupportedShape;
  }
  a.row = turn_a ? 1 : depth;
  a.depth = turn_a ? rows : 1;
  b.row = turn_b ? depth : 1;
  b.depth = turn_b ? 1 : columns;
  SetBatchSteps(*a_tensor, &a);
  SetBatchSteps(*b_tensor, &b);
  for (int i = 0; i < kBatchDims; ++i) {
    batches[i] = BatchDim(*output, i);
    const int32_t from_a = BatchDim(*a_tensor, i);
    const int32_t from_b = BatchDim(*b_tensor, i);
    if ((from_a != 1 && from_a != batches[i]) || (from_b != 1 && from_b != batches[i])) {
      return Status::kUnsupportedShape;
    }
  }
  return Status::kOk;
}

}  // namespace kws
