// SPDX-License-Identifier: Apache-2.0
// RELU6, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_unary.h"

namespace kws {
namespace {

constexpr int kReferences = 2;  // of the int8 kernel

float ZeroToSix(float x) { return x > 6.0f ? 6.0f : (x < 0.0f ? 0.0f : x); }

}  // namespace

KWS_REGISTER_TYPE(Relu6, Float32, PrepareFloatUnary<kReferences + kFloat32Mark>,
                  InvokeFloatUnary<ZeroToSix>)

}  // namespace kws
