// SPDX-License-Identifier: Apache-2.0
// SOFTMAX of int8 inputs, along the last dimension, to int8 or int16 outputs: scale 1/256 or
// 1/65536, and the type's least value as zero point.
#ifndef KWS_RUNTIME_KERNELS_SHARED_SOFTMAX_H_
#define KWS_RUNTIME_KERNELS_SHARED_SOFTMAX_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/loops/arithmetic.h"
#include "kws/runtime/kernels/shared/exponential.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {

enum SoftmaxReferences { kSoftmaxInput, kSoftmaxOutput, kSoftmaxPowers, kSoftmaxReferences };

constexpr int kSoftmaxBits = 5;      // of the exponent: Q5.26
constexpr int kSoftmaxSumBits = 12;  // of the sum of exponentials: Q12.19
constexpr int32_t kSoftmaxLargest = ((1 << kSoftmaxBits) - 1) << (31 - kSoftmaxBits);
constexpr int32_t kSoftmaxMaxDepth = (1 << kSoftmaxSumBits) - 1;

struct alignas(4) SoftmaxParams {
  int32_t rows;
  int32_t multiplier;      // from a difference of inputs to Q5.26
  int32_t min_difference;  // below it, the exponential counts as 0
  uint16_t depth;
  uint8_t left_shift;
};

// Whether an output has the quantization for its type; for int16 with TFLM's tolerance.
template <typename Output>
bool HasSoftmaxScale(const Tensor& output);
template <>
inline bool HasSoftmaxScale<int8_t>(const Tensor& output) {
  return output.scale == 1.0f / 256.0f && output.zero_point == INT8_MIN;
}
template <>
inline bool HasSoftmaxScale<int16_t>(const Tensor& output) {
  const float units = output.scale * 65536.0f;
  return units > 0.999f && units < 1.001f && output.zero_point == INT16_MIN;
}

// `references` of the record. Static: the compiler inlines a single call (48 bytes of flash).
template <typename Output>
static Status PrepareSoftmax(PrepareContext& context, int references) {
  enum Options { kBeta = 0 };
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSoftmax));
  if (sizeof(Output) == 1) {
    KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  } else {
    KWS_RETURN_IF_ERROR(context.Input(0, &input));
    KWS_RETURN_IF_ERROR(context.Output(0, &output));
    if (input.type != TensorType::kInt8 || output.type != TensorType::kInt16) {
      return Status::kUnsupportedType;
    }
    KWS_RETURN_IF_ERROR(CheckQuantized(input));
  }
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim() || input.last_dim() > kSoftmaxMaxDepth) {
    return Status::kUnsupportedShape;
  }
  if (!HasSoftmaxScale<Output>(output)) return Status::kBadQuantization;

  // As in TFLM: limited to 2^31 - 1, and above 1.
  const float beta = context.Option<float>(kBeta, 0.0f);
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(beta, input.scale, 1.0f, -kSoftmaxBits, &factor));
  factor.shift += 31;
  if (factor.shift > 31) factor = QuantizedMultiplier{INT32_MAX, 31};
  if (factor.multiplier == 0 || factor.shift < 1) return Status::kBadQuantization;

  SoftmaxParams* params;
  KWS_RETURN_IF_ERROR(context.Allocate(references, &params));
  context.BindInput(kSoftmaxInput, 0);
  context.BindOutput(kSoftmaxOutput, 0);
  if (sizeof(Output) == 1) context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  KWS_RETURN_IF_ERROR(
      context.BindScratch(kSoftmaxPowers, 4u * static_cast<uint32_t>(input.last_dim())));
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = static_cast<uint16_t>(input.last_dim());
  params->multiplier = factor.multiplier;
  params->left_shift = static_cast<uint8_t>(factor.shift);
  params->min_difference = -(kSoftmaxLargest >> factor.shift);
  return Status::kOk;
}

// Writes `depth` probabilities; `powers` has room for `depth` numbers.
template <typename Output>
static void SoftmaxRow(const SoftmaxParams& params, const int8_t* input, int32_t* powers,
                       Output* output) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(Output));
  constexpr int32_t kZero = -(1 << (kBits - 1));
  const int depth = params.depth;
  int32_t largest = input[0];
  for (int i = 1; i < depth; ++i) {
    if (input[i] > largest) largest = input[i];
  }
  // Exponentials of the differences from the row's maximum, as Q0.31.
  int32_t sum = 0;
  for (int i = 0; i < depth; ++i) {
    const int32_t difference = input[i] - largest;
    powers[i] = 0;
    if (difference < params.min_difference) continue;
    const int32_t scaled = WrappingShiftLeft(difference, params.left_shift);
    powers[i] = ExpOfNegative(RoundingHighMul(scaled, params.multiplier), 31 - kSoftmaxBits);
    sum += RoundingDivideByPowerOfTwo(powers[i], kSoftmaxSumBits);
  }
  // The sum is 2^(integer bits of it) * (1 + fraction).
  const int leading_zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const int32_t fraction =
      static_cast<int32_t>((static_cast<uint32_t>(sum) << leading_zeros) - 0x80000000u);
  const int32_t reciprocal = ReciprocalOfOnePlus(fraction);
  const int exponent = kSoftmaxSumBits - leading_zeros + 31 - kBits;
  for (int i = 0; i < depth; ++i) {
    int32_t probability = 0;
    if (exponent <= 31) {
      probability = RoundingDivideByPowerOfTwo(RoundingHighMul(reciprocal, powers[i]), exponent);
    }
    output[i] = static_cast<Output>(Clamp(probability + kZero, kZero, -1 - kZero));
  }
}

template <typename Output>
void InvokeSoftmax(const InvokeContext& context) {
  const SoftmaxParams& params = context.Params<SoftmaxParams>();
  const int8_t* input = context.Data<int8_t>(kSoftmaxInput);
  Output* output = context.MutableData<Output>(kSoftmaxOutput);
  int32_t* powers = context.MutableData<int32_t>(kSoftmaxPowers);
  for (int32_t row = 0; row < params.rows; ++row) {
    SoftmaxRow(params, input, powers, output);
    input += params.depth;
    output += params.depth;
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_SOFTMAX_H_
