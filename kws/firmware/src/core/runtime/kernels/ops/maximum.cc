// SPDX-License-Identifier: Apache-2.0
// MAXIMUM, int8, with broadcasting. The quantized values are compared as they are.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/extremum.h"

namespace kws {
namespace {

constexpr Registration kRegistration{BuiltinOp::kMaximum, PrepareExtremum, InvokeExtremum<true>};

}  // namespace

const Registration& kernels::Maximum() { return kRegistration; }
void kernels::invoke::Maximum(const InvokeContext& context) { InvokeExtremum<true>(context); }

}  // namespace kws
