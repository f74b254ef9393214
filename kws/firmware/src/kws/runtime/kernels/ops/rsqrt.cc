// SPDX-License-Identifier: Apache-2.0
// RSQRT, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_unary.h"

namespace kws {
namespace {

float ReciprocalRoot(float x) { return 1.0f / SquareRoot(x); }

}  // namespace

KWS_REGISTER(Rsqrt, PrepareFloatUnary<2>, InvokeFloatUnary<ReciprocalRoot>)

}  // namespace kws
