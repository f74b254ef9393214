// SPDX-License-Identifier: Apache-2.0
// MEAN, float32, over any dimensions.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_reduce.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareFloatReduce(context, true); }

}  // namespace

KWS_REGISTER_TYPE(Mean, Float32, Prepare, InvokeFloatReduce)

}  // namespace kws
