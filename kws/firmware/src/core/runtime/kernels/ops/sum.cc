// SPDX-License-Identifier: Apache-2.0
// SUM, int8, over any dimensions.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/reduce.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareReduce(context, false); }

constexpr Registration kRegistration{BuiltinOp::kSum, Prepare, InvokeReduce};

}  // namespace

const Registration& kernels::Sum() { return kRegistration; }
void kernels::invoke::Sum(const InvokeContext& context) { InvokeReduce(context); }

}  // namespace kws
