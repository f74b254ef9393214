// SPDX-License-Identifier: Apache-2.0
// SQRT, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_unary.h"

namespace kws {
KWS_REGISTER(Sqrt, PrepareFloatUnary<2>, InvokeFloatUnary<SquareRoot>)

}  // namespace kws
