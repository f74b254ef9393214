// SPDX-License-Identifier: Apache-2.0
// ADD, int16, with broadcasting and a fused activation.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/int16_binary.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PrepareInt16Sum(context, false); }

}  // namespace

KWS_REGISTER_TYPE(Add, Int16, Prepare, InvokeInt16Sum)

}  // namespace kws
