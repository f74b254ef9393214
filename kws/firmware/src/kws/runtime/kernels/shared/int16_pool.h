// SPDX-License-Identifier: Apache-2.0
// Int16 AVERAGE_POOL_2D and MAX_POOL_2D.
#ifndef KWS_RUNTIME_KERNELS_SHARED_INT16_POOL_H_
#define KWS_RUNTIME_KERNELS_SHARED_INT16_POOL_H_

#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/plain_pool.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {

Status PrepareInt16Pool(PrepareContext& context);

template <typename Pool>
void InvokeInt16Pool(const InvokeContext& context) {
  InvokePlainPool<int16_t, ActivationRange, Pool>(context);
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_INT16_POOL_H_
