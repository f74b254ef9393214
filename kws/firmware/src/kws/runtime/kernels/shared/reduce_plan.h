// SPDX-License-Identifier: Apache-2.0
// The loops of an op over the dimensions in a constant.
#ifndef KWS_RUNTIME_KERNELS_SHARED_REDUCE_PLAN_H_
#define KWS_RUNTIME_KERNELS_SHARED_REDUCE_PLAN_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"

namespace kws {

// Neighbouring dimensions that are all reduced, or all kept, are merged: kept, reduced, kept, ...
struct ReduceLoop {
  int32_t count;
  int32_t stride;
};
constexpr int kReduceLoops = kMaxRank / 2;

struct ReduceLoops {
  ReduceLoop kept[kReduceLoops];  // outermost first; unused ones count 1
  ReduceLoop reduced[kReduceLoops];
};

// Bit i: dimension i is reduced.
inline Status ReadReducedAxes(const PrepareContext& context, const Tensor& input, uint32_t* axes) {
  Tensor axis;
  KWS_RETURN_IF_ERROR(context.Input(1, &axis));
  if (axis.type != TensorType::kInt32) return Status::kUnsupportedType;
  if (!axis.is_constant()) return Status::kUnsupportedOption;
  const FlatVector values{axis.data, axis.elements};
  *axes = 0;
  for (uint32_t i = 0; i < values.count && input.rank > 0; ++i) {
    int32_t dim = context.model().Element<int32_t>(values, i);
    if (dim < 0 && dim >= -kMaxRank) dim += input.rank;
    if (dim < 0 || dim >= input.rank) return Status::kBadModel;
    *axes |= 1u << dim;
  }
  return Status::kOk;
}

// Fills the loops and returns the number of elements per output.
inline int32_t PlanReduceLoops(const Tensor& input, uint32_t axes, ReduceLoops* plan) {
  for (int i = 0; i < kReduceLoops; ++i) {
    plan->kept[i] = ReduceLoop{1, 0};
    plan->reduced[i] = ReduceLoop{1, 0};
  }
  int next[2] = {kReduceLoops, kReduceLoops};  // the newest loop, kept and reduced
  int newest = -1;                             // 0: kept, 1: reduced
  int32_t stride = 1;
  int32_t count = 1;
  for (int dim = input.rank - 1; dim >= 0; --dim) {
    const int32_t size = input.dims[dim];
    if (size == 1) continue;
    const int reduced = (axes >> dim) & 1;
    ReduceLoop* loops = reduced == 1 ? plan->reduced : plan->kept;
    if (reduced != newest) loops[--next[reduced]] = ReduceLoop{1, stride};
    newest = reduced;
    loops[next[reduced]].count *= size;
    stride *= size;
    if (reduced == 1) count *= size;
  }
  return count;
}

// Calls reduce(first, loops) with the first value of each output, and stores what it returns.
template <typename T, typename Reduce>
void ForEachReduced(const ReduceLoops& plan, const T* input, T* output, const Reduce& reduce) {
  for (int32_t i = 0; i < plan.kept[0].count; ++i) {
    for (int32_t j = 0; j < plan.kept[1].count; ++j) {
      const T* at = input + i * plan.kept[0].stride + j * plan.kept[1].stride;
      for (int32_t k = 0; k < plan.kept[2].count; ++k) {
        *output++ = reduce(at);
        at += plan.kept[2].stride;
      }
    }
  }
}

// Calls add(value) for each value of an output, in the input's order.
template <typename T, typename Add>
void ForEachValue(const ReduceLoops& plan, const T* first, const Add& add) {
  for (int32_t i = 0; i < plan.reduced[0].count; ++i) {
    for (int32_t j = 0; j < plan.reduced[1].count; ++j) {
      const T* at = first + i * plan.reduced[0].stride + j * plan.reduced[1].stride;
      for (int32_t k = 0; k < plan.reduced[2].count; ++k) {
        add(LoadAs<T>(at));
        at += plan.reduced[2].stride;
      }
    }
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_REDUCE_PLAN_H_
