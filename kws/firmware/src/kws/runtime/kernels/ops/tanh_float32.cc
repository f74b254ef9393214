// SPDX-License-Identifier: Apache-2.0
// TANH, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_unary.h"
#include "kws/runtime/kernels/shared/lookup_table.h"

namespace kws {
KWS_REGISTER_TYPE(Tanh, Float32, PrepareFloatUnary<LookupTable::kReferences + kFloat32Mark>,
                  InvokeFloatUnary<kws::Tanh>)

}  // namespace kws
