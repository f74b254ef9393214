// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D, int16 with int8 weights.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/int16_filter.h"
#include "kws/runtime/kernels/shared/weighted_op.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  WideStage stage;
  KWS_RETURN_IF_ERROR(op.ReadDepthwise(context, TensorType::kInt16, TensorType::kInt8));
  KWS_RETURN_IF_ERROR(MakeWideStage(context, op, 3, 4, -1, &stage));
  return AllocateInt16Filter(context, op, WeightedOp::kReferences + kInt16Mark, stage);
}

}  // namespace

KWS_REGISTER_TYPE(DepthwiseConv2D, Int16, Prepare, InvokeInt16Conv)

}  // namespace kws
