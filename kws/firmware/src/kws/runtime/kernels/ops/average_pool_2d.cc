// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, int8: NHWC; input and output have the same quantization.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/pool.h"

namespace kws {
namespace {

void Invoke(const InvokeContext& context) { InvokePool(context, PoolMean); }

}  // namespace

KWS_REGISTER(AveragePool2D, PreparePool, Invoke)

}  // namespace kws
