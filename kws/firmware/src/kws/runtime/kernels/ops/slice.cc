// SPDX-License-Identifier: Apache-2.0
// SLICE, any type: the output's elements start at `begin` in each dimension. Input 2, the output's
// shape, is not read.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  ElementMove move;
  KWS_RETURN_IF_ERROR(move.Read(context, OptionsType::kSlice));
  const Tensor& output = move.output;
  StridedCopyPlan& plan = move.plan;
  for (int i = 0; i < output.rank; ++i) {
    const int32_t begin = move.numbers[i];
    if (begin < 0 || int64_t{begin} + output.dims[i] > move.input.dims[i]) {
      return Status::kUnsupportedShape;
    }
    plan.copy.from += begin * move.from_steps[i];
    plan.loops[i] = CopyLoop{output.dims[i], move.from_steps[i], move.to_steps[i]};
  }
  plan.Simplify();
  // The whole input.
  if (move.input.bytes == output.bytes && context.ShareOutput(0, 0)) return Status::kOk;
  KWS_RETURN_IF_ERROR(AllocateStridedCopy(context, plan));
  // No element moves towards the end.
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  return Status::kOk;
}

}  // namespace

KWS_REGISTER(Slice, Prepare, InvokeStridedCopy)

}  // namespace kws
