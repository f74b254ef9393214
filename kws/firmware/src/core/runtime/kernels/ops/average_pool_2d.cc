// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, int8: NHWC; input and output have the same quantization.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/pool.h"

namespace kws {
namespace {

void Invoke(const InvokeContext& context) { InvokePool(context, PoolMean); }

constexpr Registration kRegistration{BuiltinOp::kAveragePool2D, PreparePool, Invoke};

}  // namespace

const Registration& kernels::AveragePool2D() { return kRegistration; }
void kernels::invoke::AveragePool2D(const InvokeContext& context) { Invoke(context); }

}  // namespace kws
