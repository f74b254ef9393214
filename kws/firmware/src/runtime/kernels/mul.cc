// MUL, int8, with broadcasting and a fused activation.
#include "runtime/kernel_context.h"
#include "runtime/kernels/broadcast.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/quantization.h"
#include "runtime/kernels/rescale.h"

namespace kws {
namespace {

enum Options { kActivation = 0 };

struct alignas(4) Params {
  Broadcast broadcast;
  RescaleParams output;
  int16_t zero_points[2];
};

Status Prepare(PrepareContext& context) {
  BinaryOp op;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kMul));
  KWS_RETURN_IF_ERROR(op.Read(context));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.a));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.b));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  Params* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params));
  params->zero_points[0] = static_cast<int16_t>(op.a.zero_point);
  params->zero_points[1] = static_cast<int16_t>(op.b.zero_point);
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(op.a.scale, op.b.scale, op.output.scale, 0, &factor));
  return MakeRescale(context, kActivation, factor, op.output, &params->output);
}

void Run(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const Params& params = context.Params<Params>();
  const int32_t zero_a = params.zero_points[0];
  const int32_t zero_b = params.zero_points[1];
  const Rescale rescale(params.output);
  const Broadcast walk = params.broadcast;
  for (int32_t i = 0; i < walk.run; ++i) {
    *output++ = rescale((*a - zero_a) * (*b - zero_b));
    a += walk.steps[0];
    b += walk.steps[1];
  }
}

void Invoke(const InvokeContext& context) {
  InvokeBinary(context, context.Params<Params>().broadcast, context.Extra<BroadcastLoop, Params>(),
               Run);
}

constexpr Registration kRegistration{BuiltinOp::kMul, Prepare, Invoke};

}  // namespace

const Registration& kernels::Mul() { return kRegistration; }

}  // namespace kws
