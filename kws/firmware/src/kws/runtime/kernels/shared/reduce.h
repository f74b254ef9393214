// SPDX-License-Identifier: Apache-2.0
// MEAN and SUM, int8, over the dimensions in a constant.
#ifndef KWS_RUNTIME_KERNELS_SHARED_REDUCE_H_
#define KWS_RUNTIME_KERNELS_SHARED_REDUCE_H_

#include "kws/runtime/kernel_context.h"

namespace kws {

Status PrepareReduce(PrepareContext& context, bool mean);
void InvokeReduce(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_REDUCE_H_
