// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

// A positive float as mantissa * 2^exponent, mantissa in [2^23, 2^24).
bool Decompose(float x, uint32_t* mantissa, int* exponent) {
  const uint32_t bits = LoadAs<uint32_t>(&x);
  const uint32_t biased = bits >> 23;
  if (biased >= 255 || bits == 0) return false;  // negative, infinite, not a number, zero
  *mantissa = bits & 0x7fffff;
  *exponent = biased == 0 ? -149 : static_cast<int>(biased) - 150;
  if (biased != 0) *mantissa |= 0x800000;
  while (*mantissa < 0x800000) {  // subnormal
    *mantissa <<= 1;
    --*exponent;
  }
  return true;
}

constexpr int kDoubleBits = 53;

}  // namespace

Status MultiplierFromScales(float a, float b, float c, int exponent, QuantizedMultiplier* out) {
  if (a == 0.0f || b == 0.0f) {  // a channel without weights
    *out = QuantizedMultiplier{0, 0};
    return Status::kOk;
  }
  uint32_t mantissa_a;
  uint32_t mantissa_b;
  uint32_t mantissa_c;
  int exponent_a;
  int exponent_b;
  int exponent_c;
  if (!Decompose(a, &mantissa_a, &exponent_a) || !Decompose(b, &mantissa_b, &exponent_b) ||
      !Decompose(c, &mantissa_c, &exponent_c)) {
    return Status::kBadQuantization;
  }
  // The product of two floats is exact in a double.
  uint64_t product = static_cast<uint64_t>(mantissa_a) * mantissa_b;  // [2^46, 2^48)
  int power = exponent + exponent_a + exponent_b - exponent_c + 24;
  while (product >> 24 < mantissa_c) {
    product *= 2;
    --power;
  }
  // Long division, eight bits at a time, to a quotient of 57 bits, the first of 2^power.
  uint32_t remainder = static_cast<uint32_t>(product >> 24) - mantissa_c;
  uint64_t quotient = 1;
  uint32_t rest = static_cast<uint32_t>(product) << 8;  // the product's last 24 bits
  for (int i = 0; i < 7; ++i) {
    remainder = remainder << 8 | rest >> 24;
    rest <<= 8;
    quotient = quotient << 8 | remainder / mantissa_c;
    remainder %= mantissa_c;
  }
  // Round to the 53 bits of a double, half to even. The last bit stands for all that follow.
  if (remainder != 0) quotient |= 1;
  quotient = (quotient + 7 + (quotient >> 4 & 1)) >> 4;
  // Round to 31 bits, halves up. frexp's mantissa is in [0.5, 1), so the shift is one more.
  constexpr int kDropped = kDoubleBits - 31;
  uint64_t fixed = (quotient + (uint64_t{1} << (kDropped - 1))) >> kDropped;
  int shift = power + 1;
  if (fixed == uint64_t{1} << 31) {
    fixed /= 2;
    ++shift;
  }
  if (shift > 30) return Status::kBadQuantization;
  if (shift < -31) {
    shift = 0;
    fixed = 0;
  }
  out->multiplier = static_cast<int32_t>(fixed);
  out->shift = shift;
  return Status::kOk;
}

Status CheckQuantized(const Tensor& tensor) {
  if (tensor.scale_count == 0 || !(tensor.scale > 0.0f)) return Status::kBadQuantization;
  const int32_t limit = tensor.type == TensorType::kInt16 ? 32768 : 128;
  return tensor.zero_point >= -limit && tensor.zero_point < limit ? Status::kOk
                                                                  : Status::kBadQuantization;
}

Status ReadInt8(const PrepareContext& context, Tensor* input, Tensor* output) {
  KWS_RETURN_IF_ERROR(context.Input(0, input));
  KWS_RETURN_IF_ERROR(context.Output(0, output));
  if (input->type != TensorType::kInt8 || output->type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  KWS_RETURN_IF_ERROR(CheckQuantized(*input));
  return CheckQuantized(*output);
}

int32_t RoundToInt(float x) {
  const int32_t whole = static_cast<int32_t>(x);  // towards zero
  const float rest = x - static_cast<float>(whole);
  return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

Status GetActivationRange(Activation activation, const Tensor& output, ActivationRange* range) {
  const int32_t limit = output.type == TensorType::kInt16 ? 32768 : 128;
  *range = ActivationRange{-limit, limit - 1};
  if (activation == Activation::kNone) return Status::kOk;
  float low = 0.0f;
  float high = 0.0f;
  if (activation == Activation::kReluN1To1) {
    low = -1.0f;
    high = 1.0f;
  } else if (activation == Activation::kRelu6) {
    high = 6.0f;
  } else if (activation != Activation::kRelu) {
    return Status::kUnsupportedOption;
  }
  constexpr float kIntLimit = 2147483520.0f;  // the largest float below 2^31
  if (!(high / output.scale <= kIntLimit) || !(low / output.scale >= -kIntLimit)) {
    return Status::kBadQuantization;
  }
  const int32_t quantized_low = WrappingAdd(output.zero_point, RoundToInt(low / output.scale));
  const int32_t quantized_high = WrappingAdd(output.zero_point, RoundToInt(high / output.scale));
  if (quantized_low > range->min) range->min = quantized_low;
  if (activation != Activation::kRelu && quantized_high < range->max) range->max = quantized_high;
  return range->min <= range->max ? Status::kOk : Status::kBadQuantization;
}

Status CheckBias(const PrepareContext& context, int i, int32_t channels) {
  if (!context.HasInput(i)) return Status::kOk;
  Tensor bias;
  KWS_RETURN_IF_ERROR(context.Input(i, &bias));
  if (bias.type != TensorType::kInt32) return Status::kUnsupportedType;
  if (!bias.is_constant()) return Status::kUnsupportedOption;
  return bias.elements == static_cast<uint32_t>(channels) ? Status::kOk : Status::kUnsupportedShape;
}

Status FactorCount(const Tensor& filter, int32_t channels, int dimension, uint32_t* count) {
  if (filter.scale_count == 0 || filter.zero_point != 0) return Status::kBadQuantization;
  *count = filter.scale_count;
  if (filter.scale_count == 1) return Status::kOk;
  return filter.scale_count == static_cast<uint32_t>(channels) &&
                 filter.quantized_dimension == dimension
             ? Status::kOk
             : Status::kBadQuantization;
}

Status MakeOutputStage(const PrepareContext& context, int slot, const Tensor& input,
                       const Tensor& filter, const Tensor& output, OutputStage* stage,
                       int32_t* factors) {
  ActivationRange range;
  KWS_RETURN_IF_ERROR(GetActivationRange(static_cast<Activation>(context.Option<uint8_t>(slot, 0)),
                                         output, &range));
  stage->offset = static_cast<int16_t>(output.zero_point);
  stage->min = static_cast<int8_t>(range.min);
  stage->max = static_cast<int8_t>(range.max);
  stage->channel_step = filter.scale_count == 1 ? 0 : 1;
  stage->fast_requantize = true;
  const FlatVector scales{filter.scales, filter.scale_count};
  int8_t* shifts = reinterpret_cast<int8_t*>(factors + filter.scale_count);
  // For a fully connected layer with one filter scale, TFLM multiplies the scales as floats.
  const bool as_floats = filter.rank == 2 && filter.scale_count == 1;
  for (uint32_t i = 0; i < filter.scale_count; ++i) {
    const float scale = context.model().Element<float>(scales, i);
    QuantizedMultiplier factor;
    KWS_RETURN_IF_ERROR(MultiplierFromScales(as_floats ? input.scale * scale : input.scale,
                                             as_floats ? 1.0f : scale, output.scale, 0, &factor));
    factors[i] = factor.multiplier;
    shifts[i] = static_cast<int8_t>(factor.shift);
    stage->fast_requantize = stage->fast_requantize && factor.shift <= -1 && factor.shift >= -20;
  }
  return Status::kOk;
}

}  // namespace kws
