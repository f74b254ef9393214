// SPDX-License-Identifier: Apache-2.0
// MUL, int8, with broadcasting and a fused activation.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/product.h"
#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kActivation = 0 };

Status Prepare(PrepareContext& context) {
  BinaryOp op;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kMul));
  KWS_RETURN_IF_ERROR(op.Read(context));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.a));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.b));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  ProductParams* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params));
  params->zero_points[0] = static_cast<int16_t>(op.a.zero_point);
  params->zero_points[1] = static_cast<int16_t>(op.b.zero_point);
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(op.a.scale, op.b.scale, op.output.scale, 0, &factor));
  return MakeRescale(context, kActivation, factor, op.output, &params->output);
}

void Invoke(const InvokeContext& context) {
  InvokeBinary(context, context.Params<ProductParams>().broadcast,
               context.Extra<BroadcastLoop, ProductParams>(), RunProduct);
}

}  // namespace

KWS_REGISTER(Mul, Prepare, Invoke)

}  // namespace kws
