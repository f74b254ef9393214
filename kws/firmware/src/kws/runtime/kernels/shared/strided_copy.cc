// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/strided_copy.h"

#include <cstring>

#include "kws/runtime/kernels/loops/copy.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

}  // namespace

void StridedCopyPlan::Simplify() {
  int kept = 0;
  for (int i = 0; i < copy.loops; ++i) {
    const CopyLoop inner = loops[i];
    if (inner.count == 1) continue;
    if (kept > 0) {
      CopyLoop& outer = loops[kept - 1];
      if (outer.from_step == inner.from_step * inner.count &&
          outer.to_step == inner.to_step * inner.count) {
        outer = CopyLoop{outer.count * inner.count, inner.from_step, inner.to_step};
        continue;
      }
    }
    loops[kept++] = inner;
  }
  if (kept > 0 && loops[kept - 1].from_step == copy.run && loops[kept - 1].to_step == copy.run) {
    copy.run *= loops[--kept].count;
  }
  copy.loops = kept;
}

void ByteSteps(const Tensor& tensor, int32_t steps[kMaxRank]) {
  int32_t step = static_cast<int32_t>(ElementSize(tensor.type));
  for (int i = tensor.rank - 1; i >= 0; --i) {
    steps[i] = step;
    step *= tensor.dims[i];
  }
}

void RunStridedCopy(const StridedCopy& copy, const CopyLoop* loops, const uint8_t* from,
                    uint8_t* to) {
  int32_t left[kMaxRank];
  const int outer = copy.loops - 1;
  for (int i = 0; i < outer; ++i) left[i] = loops[i].count;
  const CopyLoop inner = copy.loops > 0 ? loops[outer] : CopyLoop{1, 0, 0};
  int32_t from_start = copy.from;
  int32_t to_start = copy.to;
  for (;;) {
    const uint8_t* f = from + from_start;
    uint8_t* t = to + to_start;
    if (copy.run == 1) {
      for (int32_t i = inner.count; i > 0; --i) {
        *t = *f;
        f += inner.from_step;
        t += inner.to_step;
      }
    } else {
      for (int32_t i = inner.count; i > 0; --i) {
        CopyForward(t, f, copy.run);
        f += inner.from_step;
        t += inner.to_step;
      }
    }
    int level = outer - 1;
    for (; level >= 0; --level) {
      const CopyLoop& loop = loops[level];
      from_start += loop.from_step;
      to_start += loop.to_step;
      if (--left[level] > 0) break;
      left[level] = loop.count;
      from_start -= loop.from_step * loop.count;
      to_start -= loop.to_step * loop.count;
    }
    if (level < 0) return;
  }
}

Status ElementMove::Read(const PrepareContext& context, OptionsType options) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(options));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  if (input.rank < 1 || input.rank != output.rank) return Status::kUnsupportedShape;
  uint32_t position;
  KWS_RETURN_IF_ERROR(ConstantInts(context, 1, input.rank, &position));
  std::memcpy(numbers, context.model().data() + position, 4u * input.rank);
  ByteSteps(input, from_steps);
  ByteSteps(output, to_steps);
  plan.copy = StridedCopy{0, static_cast<int32_t>(ElementSize(input.type)), 0, input.rank};
  return Status::kOk;
}

Status AllocateStridedCopy(PrepareContext& context, const StridedCopyPlan& plan) {
  StridedCopy* copy;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &copy, plan.LoopBytes()));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  *copy = plan.copy;
  std::memcpy(copy + 1, plan.loops, plan.LoopBytes());
  return Status::kOk;
}

void InvokeStridedCopy(const InvokeContext& context) {
  RunStridedCopy(context.Params<StridedCopy>(), context.Extra<CopyLoop, StridedCopy>(),
                 context.Data<uint8_t>(kInput), context.MutableData<uint8_t>(kOutput));
}

Status ConstantInts(const PrepareContext& context, int i, uint32_t count, uint32_t* values) {
  Tensor tensor;
  KWS_RETURN_IF_ERROR(context.Input(i, &tensor));
  if (tensor.type != TensorType::kInt32) return Status::kUnsupportedType;
  if (!tensor.is_constant()) return Status::kUnsupportedOption;
  if (tensor.elements != count) return Status::kBadModel;
  *values = tensor.data;
  return Status::kOk;
}

}  // namespace kws
