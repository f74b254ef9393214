// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_filter.h"
#include "kws/runtime/kernels/shared/weighted_op.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  KWS_RETURN_IF_ERROR(op.ReadRows(context, TensorType::kFloat32, TensorType::kFloat32));
  return AllocateFloatFilter(context, op, WeightedOp::kScratch + kFloat32Mark, 0);
}

void Invoke(const InvokeContext& context) {
  const FloatFilterParams& params = context.Params<FloatFilterParams>();
  const FloatFinish finish{context.Data<float>(PlainFilter::kBias), params.range};
  RunPlainRows<float>(params.conv, context.Data<float>(PlainFilter::kInput),
                      context.Data<float>(PlainFilter::kFilter),
                      context.MutableData<float>(PlainFilter::kOutput), finish);
}

}  // namespace

KWS_REGISTER_TYPE(FullyConnected, Float32, Prepare, Invoke)

}  // namespace kws
