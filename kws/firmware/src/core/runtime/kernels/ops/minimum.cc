// SPDX-License-Identifier: Apache-2.0
// MINIMUM, int8, with broadcasting. The quantized values are compared as they are.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/extremum.h"

namespace kws {
namespace {

constexpr Registration kRegistration{BuiltinOp::kMinimum, PrepareExtremum, InvokeExtremum<false>};

}  // namespace

const Registration& kernels::Minimum() { return kRegistration; }
void kernels::invoke::Minimum(const InvokeContext& context) { InvokeExtremum<false>(context); }

}  // namespace kws
