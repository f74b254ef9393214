// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM, int8, with broadcasting.
#ifndef KWS_RUNTIME_KERNELS_SHARED_EXTREMUM_H_
#define KWS_RUNTIME_KERNELS_SHARED_EXTREMUM_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/broadcast.h"

namespace kws {

struct alignas(4) ExtremumParams {
  Broadcast broadcast;
};

inline Status PrepareExtremum(PrepareContext& context) {
  BinaryOp op;
  ExtremumParams* params;
  KWS_RETURN_IF_ERROR(op.Read(context));
  return op.Allocate(context, &params);
}

template <bool kLarger>
void RunExtremum(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const Broadcast walk = context.Params<ExtremumParams>().broadcast;
  for (int32_t i = 0; i < walk.run; ++i) {
    const int8_t x = *a;
    const int8_t y = *b;
    *output++ = (x > y) == kLarger ? x : y;
    a += walk.steps[0];
    b += walk.steps[1];
  }
}

template <bool kLarger>
void InvokeExtremum(const InvokeContext& context) {
  InvokeBinary(context, context.Params<ExtremumParams>().broadcast,
               context.Extra<BroadcastLoop, ExtremumParams>(), RunExtremum<kLarger>);
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_EXTREMUM_H_
