// SPDX-License-Identifier: Apache-2.0
// ADD, float32, with broadcasting and a fused activation.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_binary.h"

namespace kws {
namespace {

struct Operation {
  float operator()(float a, float b) const { return a + b; }
};

Status Prepare(PrepareContext& context) {
  return PrepareFloatBinary(context, OptionsType::kAdd, BinaryOp::kReferences + kFloat32Mark, 0);
}

}  // namespace

KWS_REGISTER_TYPE(Add, Float32, Prepare, InvokeFloatBinary<Operation>)

}  // namespace kws
