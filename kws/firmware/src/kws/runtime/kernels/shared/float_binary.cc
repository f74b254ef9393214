// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_binary.h"

namespace kws {

Status PrepareFloatBinary(PrepareContext& context, OptionsType options, int references,
                          int activation) {
  BinaryOp op;
  FloatRange range;
  KWS_RETURN_IF_ERROR(op.ReadType(context, TensorType::kFloat32));
  if (activation < 0) {
    range = FloatRange{-__builtin_inff(), __builtin_inff()};
  } else {
    KWS_RETURN_IF_ERROR(context.CheckOptions(options));
    KWS_RETURN_IF_ERROR(
        GetFloatRange(static_cast<Activation>(context.Option<uint8_t>(activation, 0)), &range));
  }
  FloatBinaryParams* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params, references));
  params->range = range;
  return Status::kOk;
}

}  // namespace kws
