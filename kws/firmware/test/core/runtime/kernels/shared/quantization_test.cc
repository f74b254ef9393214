// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kws {
namespace {

// TFLM's computation, in double.
QuantizedMultiplier InDouble(float a, float b, float c) {
  int shift;
  const double mantissa =
      std::frexp(static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(c), &shift);
  int64_t fixed = std::llround(mantissa * static_cast<double>(int64_t{1} << 31));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++shift;
  }
  if (shift < -31) return QuantizedMultiplier{0, 0};
  return QuantizedMultiplier{static_cast<int32_t>(fixed), shift};
}

TEST(Quantization, MultipliersEqualDoubleArithmetic) {
  std::mt19937 random(1);
  const auto scale = [&random] {
    uint32_t bits = (random() & 0x7fffff) | ((95 + random() % 60) << 23);
    if (random() % 4 == 0) bits &= 0xfff00000;  // few bits set: exact quotients and halves
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  };
  for (int i = 0; i < 200000; ++i) {
    const float a = scale();
    const float b = scale();
    const float c = scale();
    const QuantizedMultiplier expected = InDouble(a, b, c);
    QuantizedMultiplier factor{};
    const Status status = MultiplierFromScales(a, b, c, 0, &factor);
    if (expected.shift > 30) {
      EXPECT_EQ(status, Status::kBadQuantization);
      continue;
    }
    ASSERT_EQ(status, Status::kOk);
    ASSERT_EQ(factor.multiplier, expected.multiplier) << a << " * " << b << " / " << c;
    ASSERT_EQ(factor.shift, expected.shift) << a << " * " << b << " / " << c;
  }
}

TEST(Quantization, RefusesScalesThatAreNotPositive) {
  QuantizedMultiplier factor{};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(MultiplierFromScales(-1.0f, 1.0f, 1.0f, 0, &factor), Status::kBadQuantization);
  EXPECT_EQ(MultiplierFromScales(1.0f, 1.0f, 0.0f, 0, &factor), Status::kBadQuantization);
  EXPECT_EQ(MultiplierFromScales(1.0f, kInfinity, 1.0f, 0, &factor), Status::kBadQuantization);
  EXPECT_EQ(MultiplierFromScales(std::nanf(""), 1.0f, 1.0f, 0, &factor), Status::kBadQuantization);
  EXPECT_EQ(MultiplierFromScales(0.0f, 1.0f, 1.0f, 0, &factor), Status::kOk);
  EXPECT_EQ(factor.multiplier, 0);
}

TEST(FixedPoint, RoundsHalvesAwayFromZeroWhenDividing) {
  EXPECT_EQ(RoundingDivideByPowerOfTwo(5, 1), 3);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-5, 1), -3);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-4, 3), -1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(7, 0), 7);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(INT32_MIN, 31), -1);
}

TEST(FixedPoint, RoundsTwice) {
  // 1.5 * 2^-1 is 0.75; the product rounds to 1.5 -> 2 halves up, then 2 / 2 = 1.
  EXPECT_EQ(MultiplyByQuantizedMultiplier(3, 1 << 30, -1), 1);
  // -1.5 rounds to -1, then -1 / 2 rounds away from zero.
  EXPECT_EQ(MultiplyByQuantizedMultiplier(-3, 1 << 30, -1), -1);
}

}  // namespace
}  // namespace kws
