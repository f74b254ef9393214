// SPDX-License-Identifier: Apache-2.0
// SUM, int8, over any dimensions.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/reduce.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareReduce(context, false); }

}  // namespace

KWS_REGISTER(Sum, Prepare, InvokeReduce)

}  // namespace kws
