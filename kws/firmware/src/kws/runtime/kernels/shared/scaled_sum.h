// SPDX-License-Identifier: Apache-2.0
// ADD and SUB, int8, with broadcasting and a fused activation. Both inputs are rescaled to twice
// the larger scale with 20 more bits, added, and rescaled to the output; each step rounds.
#ifndef KWS_RUNTIME_KERNELS_SHARED_SCALED_SUM_H_
#define KWS_RUNTIME_KERNELS_SHARED_SCALED_SUM_H_

#include "kws/runtime/kernel_context.h"

namespace kws {

Status PrepareSum(PrepareContext& context, bool subtract);
void InvokeSum(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_SCALED_SUM_H_
