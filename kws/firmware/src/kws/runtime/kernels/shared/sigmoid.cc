// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/sigmoid.h"

#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

constexpr int kFractionBits = 27;
constexpr int32_t kLimit = 15 << kFractionBits;

}  // namespace

Status PrepareSigmoid(PrepareContext& context, const Tensor& input) {
  // The factor scale * 2^27; its exponent is separate, because it can exceed 30.
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale, 1.0f, 1.0f, 0, &factor));
  const int shift = factor.shift + kFractionBits;
  // TFLM's limit is undefined for these.
  if (factor.multiplier == 0 || shift < 0) return Status::kBadQuantization;
  SigmoidParams* params;
  KWS_RETURN_IF_ERROR(AllocateLookupTable(context, input.elements, &params));
  params->multiplier = factor.multiplier;
  params->left_shift = static_cast<uint8_t>(shift < 31 ? shift : 30);
  params->limit = shift < 31 ? kLimit >> shift : 0;
  params->zero_point = static_cast<int16_t>(input.zero_point);
  return Status::kOk;
}

void ComputeSigmoid(const SigmoidParams& params, SigmoidFunction function, const int8_t* input,
                    int8_t* output, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    const int32_t x = input[i] - params.zero_point;
    int32_t y;
    if (x <= -params.limit) {
      y = INT8_MIN;
    } else if (x >= params.limit) {
      y = INT8_MAX;
    } else {
      y = function(MultiplyByQuantizedMultiplier(x, params.multiplier, params.left_shift));
    }
    output[i] = static_cast<int8_t>(Clamp(y, INT8_MIN, INT8_MAX));
  }
}

}  // namespace kws
