// SPDX-License-Identifier: Apache-2.0
// From the model's scales to integers, at prepare time. No double arithmetic, no libm: what TFLM
// computes in double is computed here exactly, with integers.
#ifndef KWS_RUNTIME_KERNELS_SHARED_QUANTIZATION_H_
#define KWS_RUNTIME_KERNELS_SHARED_QUANTIZATION_H_

#include <cstdint>

#include "runtime/kernel_context.h"
#include "runtime/kernels/shared/fixed_point.h"
#include "runtime/kernels/shared/output_stage.h"
#include "runtime/model/schema.h"
#include "runtime/model/tensor.h"
#include "status.h"

namespace kws {

// The factor (double)a * b / c * 2^exponent with c's quotient rounded to double, as TFLM's
// QuantizeMultiplier makes of it. kBadQuantization where a scale is negative or not finite, c is 0,
// or the factor is 2^30 or more; one below 2^-32 becomes 0.
Status MultiplierFromScales(float a, float b, float c, int exponent, QuantizedMultiplier* out);

// scale > 0 and the zero point in the type's range; int8 and int16 only.
Status CheckQuantized(const Tensor& tensor);

// Input 0 and output 0, checked: int8 and quantized.
Status ReadInt8(const PrepareContext& context, Tensor* input, Tensor* output);

// The range that a fused activation leaves of the output's integers.
struct ActivationRange {
  int32_t min;
  int32_t max;
};
Status GetActivationRange(Activation activation, const Tensor& output, ActivationRange* range);

// Input `i`, where there is one: a constant with `channels` int32 values.
Status CheckBias(const PrepareContext& context, int i, int32_t channels);

// How many factors an op with `channels` output channels keeps: 1 where the filter has one scale.
// `dimension` is the filter's dimension that counts the channels.
Status FactorCount(const Tensor& filter, int32_t channels, int dimension, uint32_t* count);

// Bytes that `count` factors take behind an OutputStage.
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
