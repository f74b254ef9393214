// SPDX-License-Identifier: Apache-2.0
// Float32 kernels. Every product, sum and quotient is rounded on its own and in TFLM's order, so
// that all targets have the same bits.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FLOAT_MATH_H_
#define KWS_RUNTIME_KERNELS_SHARED_FLOAT_MATH_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/exact_floats.h"
#include "kws/runtime/model/schema.h"
#include "kws/runtime/model/tensor.h"

namespace kws {

// The outputs' range after a fused activation. Without one, infinities become the largest float.
struct FloatRange {
  float min;
  float max;

  float Clip(float x) const {
    x = x < min ? min : x;
    return max < x ? max : x;
  }
};
Status GetFloatRange(Activation activation, FloatRange* range);

// Reads input 0 and output 0, which must be float32.
Status ReadFloat32(const PrepareContext& context, Tensor* input, Tensor* output);

// e^x, without libm: equal to the exact value rounded to float32, except for a few x whose value is
// almost halfway between two floats. Costs about 25 operations in double.
float Exp(float x);
// tanh(x), as exact as Exp.
float Tanh(float x);
// 1 / (1 + e^-x), as TFLM computes it.
float Logistic(float x);
// The square root, correctly rounded. NaN of a negative number.
float SquareRoot(float x);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FLOAT_MATH_H_
