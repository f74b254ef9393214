// SPDX-License-Identifier: Apache-2.0
// ADD, int8, with broadcasting and a fused activation.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/scaled_sum.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareSum(context, false); }

}  // namespace

KWS_REGISTER(Add, Prepare, InvokeSum)

}  // namespace kws
