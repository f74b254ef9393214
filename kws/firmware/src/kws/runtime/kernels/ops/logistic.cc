// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, int8: 1 / (1 + exp(-x)). The output has zero point -128; its scale is taken as 1/256.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/exponential.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/sigmoid.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(ReadInt8Elementwise(context, &input, &output));
  if (output.zero_point != -128) return Status::kBadQuantization;
  return PrepareSigmoid(context, input);
}

int32_t Logistic(int32_t x) {
  constexpr int kFractionBits = 27;
  int32_t y = 1 << 30;
  if (x != 0) {
    y = ReciprocalOfOnePlus(ExpOfNegative(x < 0 ? x : -x, kFractionBits));
    if (x < 0) y = INT32_MAX - y;
  }
  return RoundingDivideByPowerOfTwo(y, 31 - 8) - 128;
}

void Compute(const InvokeContext& context, const int8_t* input, int8_t* output, int32_t count) {
  ComputeSigmoid(context.Params<SigmoidParams>(), Logistic, input, output, count);
}

void Invoke(const InvokeContext& context) {
  InvokeLookupTable(context, context.Params<SigmoidParams>().map, Compute);
}

}  // namespace

KWS_REGISTER(Logistic, Prepare, Invoke)

}  // namespace kws
