// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_filter.h"
#include "kws/runtime/kernels/shared/transpose_conv.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  KWS_RETURN_IF_ERROR(ReadTransposeConv(context, TensorType::kFloat32, TensorType::kFloat32, &op));
  KWS_RETURN_IF_ERROR(AllocateFloatFilter(context, op, kTransposeConvReferences + kFloat32Mark,
                                          kTransposeConvActivation));
  BindTransposeConv(context);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const FloatFilterParams& params = context.Params<FloatFilterParams>();
  const FloatFinish finish{context.Data<float>(PlainFilter::kBias), params.range};
  RunTransposeConv<float>(params.conv.window, context.Data<float>(PlainFilter::kInput), 0.0f,
                          context.Data<float>(PlainFilter::kFilter),
                          context.MutableData<float>(PlainFilter::kOutput), finish);
}

}  // namespace

KWS_REGISTER_TYPE(TransposeConv, Float32, Prepare, Invoke)

}  // namespace kws
