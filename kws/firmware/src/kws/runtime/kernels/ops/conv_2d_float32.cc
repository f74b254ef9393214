// SPDX-License-Identifier: Apache-2.0
// CONV_2D, float32; also with groups of channels.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_filter.h"
#include "kws/runtime/kernels/shared/weighted_op.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  KWS_RETURN_IF_ERROR(op.ReadConv(context, TensorType::kFloat32, TensorType::kFloat32));
  return AllocateFloatFilter(context, op, WeightedOp::kReferences + kFloat32Mark, 3);
}

}  // namespace

KWS_REGISTER_TYPE(Conv2D, Float32, Prepare, InvokeFloatConv)

}  // namespace kws
