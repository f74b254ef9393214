// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV, int16 with int8 weights.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/int16_filter.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/transpose_conv.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  WideStage stage;
  KWS_RETURN_IF_ERROR(ReadTransposeConv(context, TensorType::kInt16, TensorType::kInt8, &op));
  // TFLM reads the bias as 64-bit integers.
  if (op.has_bias && op.bias.type != TensorType::kInt64) return Status::kUnsupportedType;
  KWS_RETURN_IF_ERROR(MakeWideStage(context, op, 0, kTransposeConvActivation, -1, &stage));
  Int16FilterParams* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kTransposeConvReferences + kInt16Mark, &params,
                                       FactorBytes(static_cast<uint32_t>(stage.factors))));
  BindTransposeConv(context);
  params->conv = op.conv;
  params->stage = stage;
  return MakeWideFactors(context, op, reinterpret_cast<int32_t*>(params + 1));
}

void Invoke(const InvokeContext& context) {
  const Int16FilterParams& params = context.Params<Int16FilterParams>();
  const WideFinish finish(params.stage, context.Extra<int32_t, Int16FilterParams>(),
                          context.Data<void>(PlainFilter::kBias));
  RunTransposeConv<int64_t>(params.conv.window, context.Data<int16_t>(PlainFilter::kInput), 0,
                            context.Data<int8_t>(PlainFilter::kFilter),
                            context.MutableData<int16_t>(PlainFilter::kOutput), finish);
}

}  // namespace

KWS_REGISTER_TYPE(TransposeConv, Int16, Prepare, Invoke)

}  // namespace kws
