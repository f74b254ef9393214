// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED, int16 with int8 weights.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/int16_filter.h"
#include "kws/runtime/kernels/shared/weighted_op.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  WideStage stage;
  KWS_RETURN_IF_ERROR(op.ReadRows(context, TensorType::kInt16, TensorType::kInt8));
  KWS_RETURN_IF_ERROR(MakeWideStage(context, op, 0, 0, 4, &stage));
  return AllocateInt16Filter(context, op, WeightedOp::kScratch + kInt16Mark, stage);
}

void Invoke(const InvokeContext& context) {
  const Int16FilterParams& params = context.Params<Int16FilterParams>();
  const WideFinish finish(params.stage, context.Extra<int32_t, Int16FilterParams>(),
                          context.Data<void>(PlainFilter::kBias));
  RunPlainRows<int64_t>(params.conv, context.Data<int16_t>(PlainFilter::kInput),
                        context.Data<int8_t>(PlainFilter::kFilter),
                        context.MutableData<int16_t>(PlainFilter::kOutput), finish);
}

}  // namespace

KWS_REGISTER_TYPE(FullyConnected, Int16, Prepare, Invoke)

}  // namespace kws
