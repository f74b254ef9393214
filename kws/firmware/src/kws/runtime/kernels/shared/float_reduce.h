// SPDX-License-Identifier: Apache-2.0
// Float32 MEAN and SUM.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_REDUCE_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_REDUCE_H_

#include "kws/runtime/kernel_context.h"

namespace kws {

Status PrepareFloatReduce(PrepareContext& context, bool mean);
void InvokeFloatReduce(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_REDUCE_H_
