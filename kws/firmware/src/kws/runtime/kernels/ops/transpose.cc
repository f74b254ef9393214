// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE, any type: output dimension i is input dimension permutation[i].
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  ElementMove move;
  KWS_RETURN_IF_ERROR(move.Read(context, OptionsType::kTranspose));
  const Tensor& output = move.output;
  StridedCopyPlan& plan = move.plan;
  uint32_t seen = 0;
  for (int i = 0; i < output.rank; ++i) {
    const int32_t from = move.numbers[i];
    if (from < 0 || from >= output.rank || (seen & (1u << from)) != 0) return Status::kBadModel;
    seen |= 1u << from;
    if (output.dims[i] != move.input.dims[from]) return Status::kBadModel;
    plan.loops[i] = CopyLoop{output.dims[i], move.from_steps[from], move.to_steps[i]};
  }
  plan.Simplify();
  // Only dimensions of size 1 have moved.
  if (plan.copy.loops == 0 && context.ShareOutput(0, 0)) return Status::kOk;
  return AllocateStridedCopy(context, plan);
}

}  // namespace

KWS_REGISTER(Transpose, Prepare, InvokeStridedCopy)

}  // namespace kws
