// SPDX-License-Identifier: Apache-2.0
// RELU, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_unary.h"
#include "kws/runtime/kernels/shared/lookup_table.h"

namespace kws {
namespace {

float Positive(float x) { return x < 0.0f ? 0.0f : x; }

}  // namespace

KWS_REGISTER_TYPE(Relu, Float32, PrepareFloatUnary<LookupTable::kReferences + kFloat32Mark>,
                  InvokeFloatUnary<Positive>)

}  // namespace kws
