// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/batch_matmul.h"
#include "kws/runtime/kernels/shared/float_math.h"

namespace kws {
namespace {

struct alignas(4) Params {
  BatchMatMul op;
};

Status Prepare(PrepareContext& context) {
  BatchMatMul op;
  Tensor a;
  Tensor b;
  Tensor output;
  KWS_RETURN_IF_ERROR(op.Read(context, TensorType::kFloat32, &a, &b, &output));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(BatchMatMul::kReferences + kFloat32Mark, &params));
  BatchMatMul::Bind(context);
  params->op = op;
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const BatchMatMul& op = context.Params<Params>().op;
  RunBatchMatMul<float>(context, op, [&](const float* a, const float* b) {
    float sum = 0.0f;
    for (int32_t i = 0; i < op.depth; ++i) {
      sum += LoadAs<float>(a + i * op.a.depth) * LoadAs<float>(b + i * op.b.depth);
    }
    return sum;
  });
}

}  // namespace

KWS_REGISTER_TYPE(BatchMatMul, Float32, Prepare, Invoke)

}  // namespace kws
