// SPDX-License-Identifier: Apache-2.0
// EXPAND_DIMS, any type: the output is another name for the input's bytes. The second input, the
// new dimension's place, follows from the output's shape.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/alias.h"

namespace kws {
namespace {

constexpr Registration kRegistration{BuiltinOp::kExpandDims, PrepareAlias, CopyWhole};

}  // namespace

const Registration& kernels::ExpandDims() { return kRegistration; }
void kernels::invoke::ExpandDims(const InvokeContext& context) { CopyWhole(context); }

}  // namespace kws
