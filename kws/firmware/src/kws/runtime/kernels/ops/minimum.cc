// SPDX-License-Identifier: Apache-2.0
// MINIMUM, int8, with broadcasting. The quantized values are compared directly.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/extremum.h"

namespace kws {

KWS_REGISTER(Minimum, PrepareExtremum, InvokeExtremum<false>)

}  // namespace kws
