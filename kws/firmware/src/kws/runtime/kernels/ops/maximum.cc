// SPDX-License-Identifier: Apache-2.0
// MAXIMUM, int8, with broadcasting. The quantized values are compared directly.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/extremum.h"

namespace kws {

KWS_REGISTER(Maximum, PrepareExtremum, InvokeExtremum<true>)

}  // namespace kws
