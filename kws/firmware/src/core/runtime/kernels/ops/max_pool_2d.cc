// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D, int8: NHWC; input and output have the same quantization.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/pool.h"

namespace kws {
namespace {

void Invoke(const InvokeContext& context) { InvokePool(context, PoolLargest); }

constexpr Registration kRegistration{BuiltinOp::kMaxPool2D, PreparePool, Invoke};

}  // namespace

const Registration& kernels::MaxPool2D() { return kRegistration; }
void kernels::invoke::MaxPool2D(const InvokeContext& context) { Invoke(context); }

}  // namespace kws
