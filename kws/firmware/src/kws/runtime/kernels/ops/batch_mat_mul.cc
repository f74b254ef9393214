// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL, int8.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/batch_matmul.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

struct alignas(4) Params {
  BatchMatMul op;
  int32_t multiplier;
  int16_t zero_points[3];  // of the inputs and of the output
  int8_t shift;
};

Status Prepare(PrepareContext& context) {
  BatchMatMul op;
  Tensor a;
  Tensor b;
  Tensor output;
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(op.Read(context, TensorType::kInt8, &a, &b, &output));
  KWS_RETURN_IF_ERROR(CheckQuantized(a));
  KWS_RETURN_IF_ERROR(CheckQuantized(b));
  KWS_RETURN_IF_ERROR(CheckQuantized(output));
  // TFLM multiplies the scales as floats.
  KWS_RETURN_IF_ERROR(MultiplierFromScales(a.scale * b.scale, 1.0f, output.scale, 0, &factor));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(BatchMatMul::kReferences, &params));
  BatchMatMul::Bind(context);
  params->op = op;
  params->multiplier = factor.multiplier;
  params->shift = static_cast<int8_t>(factor.shift);
  params->zero_points[0] = static_cast<int16_t>(a.zero_point);
  params->zero_points[1] = static_cast<int16_t>(b.zero_point);
  params->zero_points[2] = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const BatchMatMul& op = params.op;
  RunBatchMatMul<int8_t>(context, op, [&](const int8_t* a, const int8_t* b) {
    int32_t sum = 0;
    for (int32_t i = 0; i < op.depth; ++i) {
      sum = WrappingAdd(sum, (a[i * op.a.depth] - params.zero_points[0]) *
                                 (b[i * op.b.depth] - params.zero_points[1]));
    }
    const int32_t scaled = MultiplyByQuantizedMultiplier(sum, params.multiplier, params.shift);
    return static_cast<int8_t>(
        Clamp(WrappingAdd(scaled, params.zero_points[2]), INT8_MIN, INT8_MAX));
  });
}

}  // namespace

KWS_REGISTER(BatchMatMul, Prepare, Invoke)

}  // namespace kws
