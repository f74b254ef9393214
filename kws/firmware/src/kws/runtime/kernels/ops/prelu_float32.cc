// SPDX-License-Identifier: Apache-2.0
// PRELU, float32: x where x >= 0, else alpha * x; alpha broadcasts.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_binary.h"

namespace kws {
namespace {

struct Operation {
  float operator()(float a, float b) const { return a >= 0.0f ? a : a * b; }
};

Status Prepare(PrepareContext& context) {
  return PrepareFloatBinary(context, OptionsType::kNone, BinaryOp::kReferences + kFloat32Mark, -1);
}

}  // namespace

KWS_REGISTER_TYPE(Prelu, Float32, Prepare, InvokeFloatBinary<Operation>)

}  // namespace kws
