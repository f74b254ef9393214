// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_math.h"

#include <cstring>

namespace kws {
namespace {

constexpr float kLargest = 3.402823466e+38f;

uint32_t BitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// 2^exponent; -1022 to 1023.
double PowerOfTwo(int exponent) {
  const uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// e^x for |x| < 128: 2^k * e^r, with the power series of e^r for |r| <= ln(2) / 2. The error of its
// 12 terms is below 2^-46.
double ExpOf(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  const double turns = x / kLn2;
  const int k = static_cast<int>(turns + (turns < 0 ? -0.5 : 0.5));
  const double r = x - k * kLn2;
  double sum = 1.0;
  for (int i = 12; i > 0; --i) sum = 1.0 + sum * r / i;
  return sum * PowerOfTwo(k);
}

}  // namespace

Status GetFloatRange(Activation activation, FloatRange* range) {
  *range = FloatRange{-kLargest, kLargest};
  if (activation == Activation::kRelu || activation == Activation::kRelu6) range->min = 0.0f;
  if (activation == Activation::kRelu6) range->max = 6.0f;
  if (activation == Activation::kReluN1To1) *range = FloatRange{-1.0f, 1.0f};
  return activation <= Activation::kRelu6 ? Status::kOk : Status::kUnsupportedOption;
}

Status ReadFloat32(const PrepareContext& context, Tensor* input, Tensor* output) {
  KWS_RETURN_IF_ERROR(context.Input(0, input));
  KWS_RETURN_IF_ERROR(context.Output(0, output));
  return input->type == TensorType::kFloat32 && output->type == TensorType::kFloat32
             ? Status::kOk
             : Status::kUnsupportedType;
}

float Exp(float x) {
  if (x > 88.8f) return FloatOf(0x7f800000);  // infinity
  if (x < -104.0f) return 0.0f;
  if (x != x) return x;
  return static_cast<float>(ExpOf(static_cast<double>(x)));
}

float Tanh(float x) {
  const double twice = 2.0 * static_cast<double>(x);
  if (x != x) return x;
  if (x > 20.0f) return 1.0f;
  if (x < -20.0f) return -1.0f;
  if (x < 0.125f && x > -0.125f) {
    // The power series: the quotient below would lose digits.
    const double y = static_cast<double>(x);
    const double square = y * y;
    const double series =
        -1.0 / 3 +
        square * (2.0 / 15 +
                  square * (-17.0 / 315 + square * (62.0 / 2835 + square * (-1382.0 / 155925))));
    return static_cast<float>(y + y * square * series);
  }
  const double power = ExpOf(twice);
  return static_cast<float>((power - 1.0) / (power + 1.0));
}

float Logistic(float x) {
  if (x > 16.619047164916992188f) return 1.0f;
  if (x < -9.0f) return Exp(x);
  return 1.0f / (1.0f + Exp(-x));
}

float SquareRoot(float x) {
  const uint32_t bits = BitsOf(x);
  if ((bits << 1) == 0 || bits == 0x7f800000 || x != x) return x;  // zero, infinity, not a number
  if ((bits >> 31) != 0) return FloatOf(0x7fc00000);
  int exponent = static_cast<int>(bits >> 23);
  uint64_t mantissa = bits & 0x7fffff;
  if (exponent == 0) {  // subnormal
    exponent = 1;
  } else {
    mantissa |= 0x800000;
  }
  while (mantissa < 0x800000) {
    mantissa <<= 1;
    --exponent;
  }
  // x = mantissa * 2^(exponent - 150). Make the power even, and the root's 25 bits whole.
  exponent -= 150;
  if ((exponent & 1) != 0) {
    mantissa <<= 1;
    --exponent;
  }
  mantissa <<= 26;
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 25; bit != 0; bit >>= 1) {
    const uint64_t next = root | bit;
    if (next * next <= mantissa) root = next;
  }
  // In [2^24.5, 2^26): round to 24 bits, halves do not occur.
  int shift = 1;
  if (root >= (uint64_t{1} << 25)) shift = 2;
  const uint32_t rounded = static_cast<uint32_t>((root + (uint64_t{1} << (shift - 1))) >> shift);
  const int power = exponent / 2 - 13 + shift;
  return static_cast<float>(rounded) * static_cast<float>(PowerOfTwo(power));
}

}  // namespace kws
