// TRANSPOSE, any type: output dimension i is input dimension permutation[i].
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided_copy.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kTranspose));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  if (input.rank < 1 || input.rank != output.rank) return Status::kUnsupportedShape;
  uint32_t permutation;
  KWS_RETURN_IF_ERROR(ConstantInts(context, 1, input.rank, &permutation));

  int32_t from_steps[kMaxRank];
  int32_t to_steps[kMaxRank];
  ByteSteps(input, from_steps);
  ByteSteps(output, to_steps);
  StridedCopyPlan plan;
  plan.copy = StridedCopy{0, static_cast<int32_t>(ElementSize(input.type)), 0, input.rank};
  uint32_t seen = 0;
  for (int i = 0; i < input.rank; ++i) {
    const int32_t from = context.model().At<int32_t>(permutation + 4 * static_cast<uint32_t>(i));
    if (from < 0 || from >= input.rank || (seen & (1u << from)) != 0) return Status::kBadModel;
    seen |= 1u << from;
    if (output.dims[i] != input.dims[from]) return Status::kBadModel;
    plan.loops[i] = CopyLoop{output.dims[i], from_steps[from], to_steps[i]};
  }
  plan.Simplify();
  // Dimensions of size 1 alone have moved: nothing has.
  if (plan.copy.loops == 0 && context.ShareOutput(0, 0)) return Status::kOk;
  return AllocateStridedCopy(context, plan);
}

constexpr Registration kRegistration{BuiltinOp::kTranspose, Prepare, InvokeStridedCopy};

}  // namespace

const Registration& kernels::Transpose() { return kRegistration; }

}  // namespace kws
