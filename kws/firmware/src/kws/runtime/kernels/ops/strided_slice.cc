// SPDX-License-Identifier: Apache-2.0
// STRIDED_SLICE, any type: every stride-th element of [begin, end) of each dimension.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

enum Options {
  kBeginMask = 0,
  kEndMask = 1,
  kEllipsisMask = 2,
  kNewAxisMask = 3,
  kShrinkAxisMask = 4,
  kOffset = 5
};

// A slice of one dimension.
struct Part {
  int32_t start;
  int32_t count;
};

int64_t Limit(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

// Negative begin and end count from the dimension's end. Both are clamped to its range; with a
// negative stride, the valid range runs from the last element to one before the first.
Part PartOf(int32_t size, int32_t begin, int32_t end, int32_t stride, bool no_begin, bool no_end) {
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? size : size - 1;
  int64_t first = Limit(begin < 0 ? int64_t{begin} + size : begin, low, high);
  int64_t stop = Limit(end < 0 ? int64_t{end} + size : end, low, high);
  if (no_begin) first = stride > 0 ? low : high;
  if (no_end) stop = stride > 0 ? high : low;
  const int64_t distance = stride > 0 ? stop - first : first - stop;
  const int64_t step = stride > 0 ? stride : -int64_t{stride};
  return Part{static_cast<int32_t>(first),
              distance <= 0 ? 0 : static_cast<int32_t>((distance + step - 1) / step)};
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kStridedSlice));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  if (input.rank < 1) return Status::kUnsupportedShape;
  if (context.Option<int32_t>(kEllipsisMask, 0) != 0 ||
      context.Option<int32_t>(kNewAxisMask, 0) != 0 || context.Option<uint8_t>(kOffset, 0) != 0) {
    return Status::kUnsupportedOption;
  }
  uint32_t begins;
  uint32_t ends;
  uint32_t strides;
  KWS_RETURN_IF_ERROR(ConstantInts(context, 1, input.rank, &begins));
  KWS_RETURN_IF_ERROR(ConstantInts(context, 2, input.rank, &ends));
  KWS_RETURN_IF_ERROR(ConstantInts(context, 3, input.rank, &strides));
  const uint32_t begin_mask = context.Option<uint32_t>(kBeginMask, 0);
  const uint32_t end_mask = context.Option<uint32_t>(kEndMask, 0);
  const uint32_t shrink_mask = context.Option<uint32_t>(kShrinkAxisMask, 0);

  int32_t steps[kMaxRank];
  ByteSteps(input, steps);
  StridedCopyPlan plan;
  plan.copy = StridedCopy{0, static_cast<int32_t>(ElementSize(input.type)), 0, input.rank};
  bool forward = true;
  int kept = 0;
  for (int i = 0; i < input.rank; ++i) {
    const uint32_t bit = 1u << i;
    const uint32_t at = 4 * static_cast<uint32_t>(i);
    const int32_t stride = context.model().At<int32_t>(strides + at);
    if (stride == 0) return Status::kBadModel;
    Part part = PartOf(input.dims[i], context.model().At<int32_t>(begins + at),
                       context.model().At<int32_t>(ends + at), stride, (begin_mask & bit) != 0,
                       (end_mask & bit) != 0);
    if ((shrink_mask & bit) != 0) {
      // One element; the end is ignored.
      if (stride < 0 || part.start >= input.dims[i]) return Status::kUnsupportedOption;
      part.count = 1;
    } else if (kept >= output.rank || output.dims[kept++] != part.count) {
      return Status::kUnsupportedShape;
    }
    plan.copy.from += part.start * steps[i];
    // With more than one element, the stride is smaller than the dimension.
    plan.loops[i] = CopyLoop{part.count, part.count > 1 ? stride * steps[i] : 0, 0};
    forward = forward && (part.count == 1 || stride > 0);
  }
  if (kept != output.rank) return Status::kUnsupportedShape;
  int32_t to_step = plan.copy.run;
  for (int i = input.rank - 1; i >= 0; --i) {
    plan.loops[i].to_step = to_step;
    to_step *= plan.loops[i].count;
  }
  plan.Simplify();
  // The whole input.
  if (plan.copy.run == static_cast<int32_t>(input.bytes) && context.ShareOutput(0, 0)) {
    return Status::kOk;
  }
  KWS_RETURN_IF_ERROR(AllocateStridedCopy(context, plan));
  // No element moves towards the end.
  if (forward) context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  return Status::kOk;
}

}  // namespace

KWS_REGISTER(StridedSlice, Prepare, InvokeStridedCopy)

}  // namespace kws
