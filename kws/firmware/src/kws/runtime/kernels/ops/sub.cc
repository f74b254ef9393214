// SPDX-License-Identifier: Apache-2.0
// SUB, int8, with broadcasting and a fused activation.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/scaled_sum.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareSum(context, true); }

}  // namespace

KWS_REGISTER(Sub, Prepare, InvokeSum)

}  // namespace kws
