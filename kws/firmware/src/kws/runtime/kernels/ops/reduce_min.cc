// SPDX-License-Identifier: Apache-2.0
// REDUCE_MIN, int8 and float32, over any dimensions.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/reduce_extremum.h"

namespace kws {

KWS_REGISTER(ReduceMin, PrepareReduceExtremum, InvokeReduceExtremum<false>)

}  // namespace kws
