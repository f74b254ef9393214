// SPDX-License-Identifier: Apache-2.0
// SOFTMAX, int8: along the last dimension. The output has scale 1/256 and zero point -128.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/exponential.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kBeta = 0 };
enum References { kInput, kOutput, kPowers, kReferences };

constexpr int kIntegerBits = 5;      // of the exponent: Q5.26
constexpr int kSumIntegerBits = 12;  // of the sum of exponentials: Q12.19
constexpr int32_t kLargest = ((1 << kIntegerBits) - 1) << (31 - kIntegerBits);
constexpr int32_t kMaxDepth = (1 << kSumIntegerBits) - 1;

struct alignas(4) Params {
  int32_t rows;
  int32_t multiplier;      // from a difference of inputs to Q5.26
  int32_t min_difference;  // below it, the exponential counts as 0
  uint16_t depth;
  uint8_t left_shift;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSoftmax));
  KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim() || input.last_dim() > kMaxDepth) {
    return Status::kUnsupportedShape;
  }
  if (output.scale != 1.0f / 256.0f || output.zero_point != -128) return Status::kBadQuantization;

  // As in TFLM: limited to 2^31 - 1, and above 1.
  const float beta = context.Option<float>(kBeta, 0.0f);
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(beta, input.scale, 1.0f, -kIntegerBits, &factor));
  factor.shift += 31;
  if (factor.shift > 31) factor = QuantizedMultiplier{INT32_MAX, 31};
  if (factor.multiplier == 0 || factor.shift < 1) return Status::kBadQuantization;

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  KWS_RETURN_IF_ERROR(context.BindScratch(kPowers, 4u * static_cast<uint32_t>(input.last_dim())));
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = static_cast<uint16_t>(input.last_dim());
  params->multiplier = factor.multiplier;
  params->left_shift = static_cast<uint8_t>(factor.shift);
  params->min_difference = -(kLargest >> factor.shift);
  return Status::kOk;
}

// Writes `depth` probabilities; `powers` has room for `depth` numbers.
void SoftmaxRow(const Params& params, const int8_t* input, int32_t* powers, int8_t* output) {
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
    powers[i] = ExpOfNegative(RoundingHighMul(scaled, params.multiplier), 31 - kIntegerBits);
    sum += RoundingDivideByPowerOfTwo(powers[i], kSumIntegerBits);
  }
  // The sum is 2^(integer bits of it) * (1 + fraction).
  const int leading_zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const int32_t fraction =
      static_cast<int32_t>((static_cast<uint32_t>(sum) << leading_zeros) - 0x80000000u);
  const int32_t reciprocal = ReciprocalOfOnePlus(fraction);
  const int exponent = kSumIntegerBits - leading_zeros + 31 - 8;
  for (int i = 0; i < depth; ++i) {
    int32_t probability = 0;
    if (exponent <= 31) {
      probability = RoundingDivideByPowerOfTwo(RoundingHighMul(reciprocal, powers[i]), exponent);
    }
    output[i] = static_cast<int8_t>(Clamp(probability - 128, -128, 127));
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(kInput);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  int32_t* powers = context.MutableData<int32_t>(kPowers);
  for (int32_t row = 0; row < params.rows; ++row) {
    SoftmaxRow(params, input, powers, output);
    input += params.depth;
    output += params.depth;
  }
}

}  // namespace

KWS_REGISTER(Softmax, Prepare, Invoke)

}  // namespace kws
