// SPDX-License-Identifier: Apache-2.0
// The loop of MUL.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_PRODUCT_H_
#define KWS_RUNTIME_KERNELS_LOOPS_PRODUCT_H_

#include <cstdint>

#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/rescale.h"

namespace kws {

struct alignas(4) ProductParams {
  Broadcast broadcast;
  RescaleParams output;
  int16_t zero_points[2];
};

// A BinaryRun.
void RunProduct(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_PRODUCT_H_
