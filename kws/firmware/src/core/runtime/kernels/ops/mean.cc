// SPDX-License-Identifier: Apache-2.0
// MEAN, int8, over any dimensions.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/reduce.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareReduce(context, true); }

constexpr Registration kRegistration{BuiltinOp::kMean, Prepare, InvokeReduce};

}  // namespace

const Registration& kernels::Mean() { return kRegistration; }
void kernels::invoke::Mean(const InvokeContext& context) { InvokeReduce(context); }

}  // namespace kws
