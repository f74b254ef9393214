// SPDX-License-Identifier: Apache-2.0
// MAXIMUM, float32, with broadcasting.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_binary.h"

namespace kws {
namespace {

struct Operation {
  float operator()(float a, float b) const { return a > b ? a : b; }
};

Status Prepare(PrepareContext& context) {
  return PrepareFloatBinary(context, OptionsType::kNone, BinaryOp::kReferences + kFloat32Mark, -1);
}

}  // namespace

KWS_REGISTER_TYPE(Maximum, Float32, Prepare, InvokeFloatBinary<Operation>)

}  // namespace kws
