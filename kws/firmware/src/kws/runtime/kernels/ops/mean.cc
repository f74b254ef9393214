// SPDX-License-Identifier: Apache-2.0
// MEAN, int8, over any dimensions.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/reduce.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareReduce(context, true); }

}  // namespace

KWS_REGISTER(Mean, Prepare, InvokeReduce)

}  // namespace kws
