// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_filter.h"

namespace kws {

Status AllocateFloatFilter(PrepareContext& context, const PlainFilter& op, int references,
                           int activation) {
  if (op.has_bias && op.bias.type != TensorType::kFloat32) return Status::kUnsupportedType;
  FloatRange range;
  KWS_RETURN_IF_ERROR(
      GetFloatRange(static_cast<Activation>(context.Option<uint8_t>(activation, 0)), &range));
  FloatFilterParams* params;
  KWS_RETURN_IF_ERROR(context.Allocate(references, &params));
  params->conv = op.conv;
  params->range = range;
  op.Bind(context);
  return Status::kOk;
}

void InvokeFloatConv(const InvokeContext& context) {
  const FloatFilterParams& params = context.Params<FloatFilterParams>();
  const FloatFinish finish{context.Data<float>(PlainFilter::kBias), params.range};
  RunPlainConv<float>(params.conv, context.Data<float>(PlainFilter::kInput),
                      context.Data<float>(PlainFilter::kFilter),
                      context.MutableData<float>(PlainFilter::kOutput), finish);
}

}  // namespace kws
