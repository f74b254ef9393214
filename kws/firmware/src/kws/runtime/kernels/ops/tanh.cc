// SPDX-License-Identifier: Apache-2.0
// TANH, int8. The output's quantization is taken as scale 1/128, zero point 0.
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
  return PrepareSigmoid(context, input);
}

// (1 - e) / (1 + e) with e = exp(-2 |x|); twice a Q4.27 number has the same bits as Q5.26.
int32_t Tanh(int32_t x) {
  constexpr int kFractionBits = 26;
  int32_t y = 0;
  if (x != 0) {
    y = OneMinusOverOnePlus(ExpOfNegative(x < 0 ? x : -x, kFractionBits));
    if (x < 0) y = -y;
  }
  return RoundingDivideByPowerOfTwo(y, 31 - 7);
}

void Compute(const InvokeContext& context, const int8_t* input, int8_t* output, int32_t count) {
  ComputeSigmoid(context.Params<SigmoidParams>(), Tanh, input, output, count);
}

void Invoke(const InvokeContext& context) {
  InvokeLookupTable(context, context.Params<SigmoidParams>().map, Compute);
}

}  // namespace

KWS_REGISTER(Tanh, Prepare, Invoke)

}  // namespace kws
