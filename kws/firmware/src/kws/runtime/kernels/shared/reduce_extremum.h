// SPDX-License-Identifier: Apache-2.0
// REDUCE_MAX and REDUCE_MIN: int8 with one quantization, or float32, over the dimensions in a
// constant.
#ifndef KWS_RUNTIME_KERNELS_SHARED_REDUCE_EXTREMUM_H_
#define KWS_RUNTIME_KERNELS_SHARED_REDUCE_EXTREMUM_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/reduce_plan.h"

namespace kws {

struct alignas(4) ReduceExtremumParams {
  ReduceLoops loops;
  bool is_float;
};

Status PrepareReduceExtremum(PrepareContext& context);

template <bool kLarger, typename T>
void RunReduceExtremum(const InvokeContext& context, const ReduceLoops& loops) {
  ForEachReduced(loops, context.Data<T>(0), context.MutableData<T>(1), [&loops](const T* first) {
    T found = LoadAs<T>(first);
    ForEachValue(loops, first, [&found](T x) {
      if (kLarger ? x > found : x < found) found = x;
    });
    return found;
  });
}

template <bool kLarger>
void InvokeReduceExtremum(const InvokeContext& context) {
  const ReduceExtremumParams& params = context.Params<ReduceExtremumParams>();
  if (params.is_float) {
    RunReduceExtremum<kLarger, float>(context, params.loops);
  } else {
    RunReduceExtremum<kLarger, int8_t>(context, params.loops);
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_REDUCE_EXTREMUM_H_
