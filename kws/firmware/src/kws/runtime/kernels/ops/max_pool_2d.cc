// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D, int8: NHWC; input and output have the same quantization.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/pool.h"

namespace kws {
namespace {

void Invoke(const InvokeContext& context) { InvokePool(context, PoolLargest); }

}  // namespace

KWS_REGISTER(MaxPool2D, PreparePool, Invoke)

}  // namespace kws
