// SPDX-License-Identifier: Apache-2.0
// From the model's scales to integers, in prepare. Integer arithmetic reproduces TFLM's results in
// double exactly, without libm.
#ifndef KWS_RUNTIME_KERNELS_SHARED_QUANTIZATION_H_
#define KWS_RUNTIME_KERNELS_SHARED_QUANTIZATION_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/model/schema.h"
#include "kws/runtime/model/tensor.h"
#include "kws/status.h"

namespace kws {

// TFLM's QuantizeMultiplier of (double)a * b / c * 2^exponent, with the quotient rounded to double.
// kBadQuantization if a scale is negative or not finite, c is 0, or the factor is 2^30 or more. A
// factor below 2^-32 becomes 0.
Status MultiplierFromScales(float a, float b, float c, int exponent, QuantizedMultiplier* out);

// scale > 0 and the zero point in the type's range; int8 and int16 only.
Status CheckQuantized(const Tensor& tensor);

// Reads and checks input 0 and output 0: int8, quantized.
Status ReadInt8(const PrepareContext& context, Tensor* input, Tensor* output);

// The output's range of integers after a fused activation.
struct ActivationRange {
  int32_t min;
  int32_t max;
};
Status GetActivationRange(Activation activation, const Tensor& output, ActivationRange* range);

// Checks that input `i`, if present, is a constant of `channels` int32 values.
Status CheckBias(const PrepareContext& context, int i, int32_t channels);

// The number of factors of an op with `channels` output channels: 1 if the filter has one scale.
// `dimension`: the filter's dimension of the channels.
Status FactorCount(const Tensor& filter, int32_t channels, int dimension, uint32_t* count);

// Bytes of `count` factors after an OutputStage.
constexpr uint32_t FactorBytes(uint32_t count) { return 5 * count; }

// The fused activation in option `slot`, the zero point, and the factors
// input.scale * filter.scale[i] / output.scale.
Status MakeOutputStage(const PrepareContext& context, int slot, const Tensor& input,
                       const Tensor& filter, const Tensor& output, OutputStage* stage,
                       int32_t* factors);

// round(x), halves away from zero; |x| < 2^31.
int32_t RoundToInt(float x);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_QUANTIZATION_H_
