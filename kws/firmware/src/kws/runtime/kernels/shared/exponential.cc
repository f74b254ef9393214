// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/exponential.h"

#include "kws/runtime/kernels/loops/arithmetic.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {
namespace {

constexpr int32_t kOneQ29 = 1 << 29;

// exp of a Q0.31 number in [-1/4, 0): Taylor's series of degree 4 around -1/8.
int32_t ExpOfQuarter(int32_t a) {
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  constexpr int32_t kThird = 715827883;
  // RoundingHighWord(2 a, b) is RoundingHighMul(a, b); of each product one factor is small enough.
  const int32_t x = a + (1 << 28);
  const int32_t x2 = RoundingHighWord(2 * x, x);
  const int32_t x3 = RoundingHighWord(2 * x2, x);
  const int32_t x4 = RoundingHighWord(2 * x2, x2);
  const int32_t cubic = RoundingHighWord(2 * kThird, RoundingDivideByPowerOfTwo(x4, 2) + x3);
  const int32_t tail = RoundingDivideByPowerOfTwo(cubic + x2, 1);
  return kExpOfMinusEighth + RoundingHighWord(2 * (x + tail), kExpOfMinusEighth);
}

// 2 / (1 + x) of a Q0.31 number in [0, 1), as Q2.29.
int32_t DoubleReciprocal(int32_t x) {
  // Newton-Raphson division for d = (1 + x) / 2 in [1/2, 1), estimates in Q2.29.
  constexpr int32_t k48Over17 = 1515870810;
  constexpr int32_t kMinus32Over17 = -1010580540;
  const int32_t half_denominator =
      static_cast<int32_t>((static_cast<int64_t>(x) + INT32_MAX + 1) / 2);
  int32_t estimate = k48Over17 + RoundingHighMul(half_denominator, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = kOneQ29 - RoundingHighMul(half_denominator, estimate);
    estimate += RoundingHighMul(estimate, error) * 4;
  }
  return estimate;
}

}  // namespace

int32_t ExpOfNegative(int32_t x, int fraction_bits) {
  if (x == 0) return INT32_MAX;
  const int32_t quarter = 1 << (fraction_bits - 2);
  // exp(-2^k) for k = -2 to 4, as Q0.31: x is a sum of such powers and a remainder in [-1/4, 0).
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  const int32_t rest = (x & (quarter - 1)) - quarter;
  const int32_t powers = rest - x;
  int32_t result = ExpOfQuarter(rest * (1 << (31 - fraction_bits)));
  int32_t bit = quarter;
  for (const int32_t factor : kFactors) {
    if ((powers & bit) != 0) result = RoundingHighMul(result, factor);
    bit = WrappingShiftLeft(bit, 1);
  }
  return result;
}

int32_t ReciprocalOfOnePlus(int32_t x) {
  // Halved; as Q0.31 a saturating shift to the left by one.
  const int32_t estimate = DoubleReciprocal(x);
  return estimate > (INT32_MAX >> 1) ? INT32_MAX : estimate * 2;
}

int32_t OneMinusOverOnePlus(int32_t x) {
  // 2 / (1 + x) - 1; as Q0.31 a saturating shift to the left by two.
  const int32_t estimate = DoubleReciprocal(x) - kOneQ29;
  if (estimate > (INT32_MAX >> 2)) return INT32_MAX;
  if (estimate < (INT32_MIN >> 2)) return INT32_MIN;
  return estimate * 4;
}

}  // namespace kws
