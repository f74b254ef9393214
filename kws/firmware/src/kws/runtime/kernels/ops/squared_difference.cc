// SPDX-License-Identifier: Apache-2.0
// SQUARED_DIFFERENCE, float32, with broadcasting.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_binary.h"

namespace kws {
namespace {

struct Operation {
  float operator()(float a, float b) const { return (a - b) * (a - b); }
};

Status Prepare(PrepareContext& context) {
  return PrepareFloatBinary(context, OptionsType::kNone, BinaryOp::kReferences, -1);
}

}  // namespace

KWS_REGISTER(SquaredDifference, Prepare, InvokeFloatBinary<Operation>)

}  // namespace kws
