// SPDX-License-Identifier: Apache-2.0
// Int16 AVERAGE_POOL_2D and MAX_POOL_2D.
#ifndef KWS_RUNTIME_KERNELS_SHARED_INT16_POOL_H_
#define KWS_RUNTIME_KERNELS_SHARED_INT16_POOL_H_

#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/plain_pool.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {

struct alignas(4) Int16PoolParams {
  Window window;
  ActivationRange range;
};

Status PrepareInt16Pool(PrepareContext& context);

template <typename Pool>
void InvokeInt16Pool(const InvokeContext& context) {
  const Int16PoolParams& params = context.Params<Int16PoolParams>();
  RunPlainPool(params.window, context.Data<int16_t>(0), context.MutableData<int16_t>(1),
               Pool(params.range));
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_INT16_POOL_H_
