// SPDX-License-Identifier: Apache-2.0
// Cosine, logarithm, exponential and square root for tables that the compiler computes. Not for run
// time. Accurate to a few units in the last place of a double.
#ifndef KWS_FRONTEND_CONST_MATH_H_
#define KWS_FRONTEND_CONST_MATH_H_

#include <cstdint>

namespace kws::frontend::const_math {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;

constexpr double Floor(double x) {
  const double whole = static_cast<double>(static_cast<int64_t>(x));
  return whole > x ? whole - 1 : whole;
}

// cos(2 pi numerator / denominator), 0 <= numerator. The fraction is reduced to the first eighth of
// a turn, so that symmetric angles yield exactly symmetric values.
constexpr double CosOfTurn(int64_t numerator, int64_t denominator) {
  const int64_t n = 8 * (numerator % denominator);  // in eighths of 1 / denominator
  const int64_t d = denominator;
  if (n > 4 * d) return CosOfTurn(8 * d - n, 8 * d);   // cos(-a) = cos(a)
  if (n > 2 * d) return -CosOfTurn(4 * d - n, 8 * d);  // cos(pi - a) = -cos(a)
  const bool use_sine = n > d;                         // cos(a) = sin(pi / 2 - a)
  const double x = 2 * kPi * static_cast<double>(use_sine ? 2 * d - n : n) / (8.0 * d);
  double term = use_sine ? x : 1;
  double sum = 0;
  for (int i = use_sine ? 2 : 1; i < 24; i += 2) {  // Taylor series
    sum += term;
    term *= -x * x / (i * (i + 1));
  }
  return sum;
}

// Natural logarithm of x > 0: ln x = exponent ln 2 + 2 artanh((m - 1) / (m + 1)).
constexpr double Log(double x) {
  int exponent = 0;
  while (x > 1.5) {
    x /= 2;
    ++exponent;
  }
  while (x < 0.75) {
    x *= 2;
    --exponent;
  }
  const double y = (x - 1) / (x + 1);
  double power = y;
  double sum = 0;
  for (int i = 1; i < 50; i += 2) {
    sum += power / i;
    power *= y * y;
  }
  return exponent * kLn2 + 2 * sum;
}

constexpr double Exp(double x) {
  const int exponent = static_cast<int>(Floor(x / kLn2 + 0.5));
  const double y = x - exponent * kLn2;
  double term = 1;
  double sum = 0;
  for (int i = 1; i < 24; ++i) {
    sum += term;
    term *= y / i;
  }
  for (int i = 0; i < exponent; ++i) sum *= 2;
  for (int i = 0; i > exponent; --i) sum /= 2;
  return sum;
}

// Largest integer whose square is at most x.
constexpr uint32_t FloorSqrt(uint32_t x) {
  uint32_t root = 0;
  while ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

}  // namespace kws::frontend::const_math

#endif  // KWS_FRONTEND_CONST_MATH_H_
