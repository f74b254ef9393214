// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_unary.h"
#include "kws/runtime/kernels/shared/lookup_table.h"

namespace kws {
KWS_REGISTER_TYPE(Logistic, Float32, PrepareFloatUnary<LookupTable::kReferences + kFloat32Mark>,
                  InvokeFloatUnary<kws::Logistic>)

}  // namespace kws
