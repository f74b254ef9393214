// SPDX-License-Identifier: Apache-2.0
// ABS, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_unary.h"

namespace kws {
namespace {

float Magnitude(float x) { return x < 0.0f ? -x : x; }

}  // namespace

KWS_REGISTER(Abs, PrepareFloatUnary<2>, InvokeFloatUnary<Magnitude>)

}  // namespace kws
