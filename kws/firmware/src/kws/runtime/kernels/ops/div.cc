// SPDX-License-Identifier: Apache-2.0
// DIV, float32, with broadcasting and a fused activation.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_binary.h"

namespace kws {
namespace {

struct Operation {
  float operator()(float a, float b) const { return a / b; }
};

Status Prepare(PrepareContext& context) {
  return PrepareFloatBinary(context, OptionsType::kDiv, BinaryOp::kReferences, 0);
}

}  // namespace

KWS_REGISTER(Div, Prepare, InvokeFloatBinary<Operation>)

}  // namespace kws
