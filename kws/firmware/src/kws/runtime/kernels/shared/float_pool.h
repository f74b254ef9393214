// SPDX-License-Identifier: Apache-2.0
// Float32 AVERAGE_POOL_2D and MAX_POOL_2D.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_POOL_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_POOL_H_

#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_math.h"
#include "kws/runtime/kernels/shared/plain_pool.h"

namespace kws {

Status PrepareFloatPool(PrepareContext& context);

template <typename Pool>
void InvokeFloatPool(const InvokeContext& context) {
  InvokePlainPool<float, FloatRange, Pool>(context);
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_POOL_H_
