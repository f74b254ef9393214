// SPDX-License-Identifier: Apache-2.0
// LOG_SOFTMAX, int8: along the last dimension. The output has scale 1/16 and zero point 127.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/double_multiplier.h"
#include "kws/runtime/kernels/shared/exponential.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

constexpr int kBits = 5;      // of a difference of inputs, and of the logarithm: Q5.26
constexpr int kSumBits = 12;  // of the sum of exponentials: Q12.19
constexpr int kOutputBits = 4;
constexpr int32_t kLargest = ((1 << kBits) - 1) << (31 - kBits);
constexpr int32_t kMaxDepth = (1 << kSumBits) - 1;

struct alignas(4) Params {
  int32_t rows;
  int32_t depth;
  int32_t multiplier;      // from a difference of inputs to Q5.26
  int32_t inverse;         // back
  int32_t min_difference;  // below it, the exponential counts as 0
  int8_t left_shift;
  int8_t inverse_shift;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kLogSoftmax));
  KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim() || input.last_dim() > kMaxDepth) {
    return Status::kUnsupportedShape;
  }
  if (output.scale != 1.0f / 16.0f || output.zero_point != INT8_MAX) {
    return Status::kBadQuantization;
  }
  // As in TFLM: limited to 2^31 - 1, and above 1.
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(input.scale, 1.0f, 1.0f, -kBits, &factor));
  factor.shift += 31;
  if (factor.shift > 31) factor = QuantizedMultiplier{INT32_MAX, 31};
  if (factor.multiplier == 0 || factor.shift < 1) return Status::kBadQuantization;
  const QuantizedMultiplier inverse = MultiplierFromDouble(
      static_cast<double>(1 << (31 - factor.shift)) / static_cast<double>(factor.multiplier));
  if (inverse.shift > 0) return Status::kBadQuantization;

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = input.last_dim();
  params->multiplier = factor.multiplier;
  params->inverse = inverse.multiplier;
  params->min_difference = -(kLargest >> factor.shift);
  params->left_shift = static_cast<int8_t>(factor.shift);
  params->inverse_shift = static_cast<int8_t>(inverse.shift);
  return Status::kOk;
}

// x << bits, or the largest number; x >= 0.
int32_t SaturatingShiftLeft(int32_t x, int bits) {
  const int64_t shifted = static_cast<int64_t>(x) << bits;
  return shifted > INT32_MAX ? INT32_MAX : static_cast<int32_t>(shifted);
}

// ln(x) of a Q12.19 number of at least 1, as Q5.26. x = 2^e * r^2 with r around the fourth root of
// 1/2, for which there are two choices of e; then a rational function of r.
int32_t Log(int32_t x) {
  constexpr int32_t kLogOfTwo = 1488522236;  // Q0.31, as all constants
  constexpr int32_t kFourthRootOfHalf = 1805811301;
  constexpr int32_t kRootOfHalf = 1518500250;
  constexpr int32_t kQuarter = 1 << 23;  // Q6.25
  // With c = 2^(1/4): 11/240 c, c/20, 2/c - c, c/4.
  constexpr int32_t kNumerator = 117049297;
  constexpr int32_t kSquare = 127690142;
  constexpr int32_t kOffset = 1057819769;
  constexpr int32_t kSlope = 638450708;

  const int zeros = __builtin_clz(static_cast<uint32_t>(x));
  const int32_t first = SaturatingShiftLeft(RoundingHighMul(x << (zeros - 1), kRootOfHalf), 1);
  const int32_t first_exponent = (kSumBits - zeros) * (1 << 25) + kQuarter;
  const int headroom = __builtin_clz(static_cast<uint32_t>(RoundingHighMul(x, kRootOfHalf))) - 1;
  const int32_t second = SaturatingShiftLeft(x, headroom);
  const int32_t second_exponent = (kSumBits - headroom) * (1 << 25) - kQuarter;
  const int32_t r = first < second ? first : second;
  const int32_t exponent = first_exponent > second_exponent ? first_exponent : second_exponent;

  const int32_t p = static_cast<int32_t>((static_cast<int64_t>(r) + kFourthRootOfHalf + 1) / 2);
  const int32_t q = 2 * (r - kFourthRootOfHalf);
  const int32_t q2 = RoundingHighMul(q, q);
  const int32_t numerator =
      RoundingHighMul(q, r) + RoundingHighMul(RoundingHighMul(q, q2), kNumerator);
  const int32_t denominator =
      RoundingHighMul(p, kOffset + q + RoundingHighMul(kSquare, q2)) + RoundingHighMul(kSlope, q);
  const int32_t scaled = RoundingDivideByPowerOfTwo(numerator, kBits + 1);
  return SaturatingShiftLeft(RoundingHighMul(exponent, kLogOfTwo) +
                                 RoundingHighMul(scaled, ReciprocalOfOnePlus(denominator)),
                             1);
}

// A difference from a row's maximum, as Q5.26.
int32_t Scaled(const Params& params, int32_t difference) {
  return RoundingHighMul(WrappingShiftLeft(difference, params.left_shift), params.multiplier);
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int32_t depth = params.depth;
  const int8_t* input = context.Data<int8_t>(kInput);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  for (int32_t row = 0; row < params.rows; ++row) {
    int32_t largest = input[0];
    for (int32_t i = 1; i < depth; ++i) {
      if (input[i] > largest) largest = input[i];
    }
    int32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t difference = input[i] - largest;
      if (difference < params.min_difference) continue;
      sum += RoundingDivideByPowerOfTwo(ExpOfNegative(Scaled(params, difference), 31 - kBits),
                                        kSumBits);
    }
    const int32_t log = Log(sum);
    // The least difference from which the logarithm can be subtracted.
    const int32_t range =
        MultiplyByQuantizedMultiplier(log + INT32_MIN, params.inverse, params.inverse_shift);
    const int32_t below = range > params.min_difference - 1 ? range : params.min_difference - 1;
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t difference = input[i] - largest;
      int32_t y = INT8_MIN;
      if (difference > below) {
        y = RoundingDivideByPowerOfTwo(WrappingAdd(Scaled(params, difference), -log),
                                       31 - kBits - kOutputBits) +
            INT8_MAX;
      }
      output[i] = static_cast<int8_t>(Clamp(y, INT8_MIN, INT8_MAX));
    }
    input += depth;
    output += depth;
  }
}

}  // namespace

KWS_REGISTER(LogSoftmax, Prepare, Invoke)

}  // namespace kws
