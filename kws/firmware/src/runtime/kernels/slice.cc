// SLICE, any type: of each dimension as many elements as the output has, from `begin` on. Input 2,
// which repeats the output's shape, is not read.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided_copy.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSlice));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  if (input.rank < 1 || input.rank != output.rank) return Status::kUnsupportedShape;
  uint32_t begins;
  KWS_RETURN_IF_ERROR(ConstantInts(context, 1, input.rank, &begins));

  int32_t from_steps[kMaxRank];
  int32_t to_steps[kMaxRank];
  ByteSteps(input, from_steps);
  ByteSteps(output, to_steps);
  StridedCopyPlan plan;
  plan.copy = StridedCopy{0, static_cast<int32_t>(ElementSize(input.type)), 0, input.rank};
  for (int i = 0; i < input.rank; ++i) {
    const int32_t begin = context.model().At<int32_t>(begins + 4 * static_cast<uint32_t>(i));
    if (begin < 0 || int64_t{begin} + output.dims[i] > input.dims[i]) {
      return Status::kUnsupportedShape;
    }
    plan.copy.from += begin * from_steps[i];
    plan.loops[i] = CopyLoop{output.dims[i], from_steps[i], to_steps[i]};
  }
  plan.Simplify();
  // The whole input: nothing to copy.
  if (input.bytes == output.bytes && context.ShareOutput(0, 0)) return Status::kOk;
  KWS_RETURN_IF_ERROR(AllocateStridedCopy(context, plan));
  // Each element moves towards the start, or stays.
  context.AllowOverlap(0, 0, {0, PlanEntry::kFar, true});
  return Status::kOk;
}

constexpr Registration kRegistration{BuiltinOp::kSlice, Prepare, InvokeStridedCopy};

}  // namespace

const Registration& kernels::Slice() { return kRegistration; }

}  // namespace kws
