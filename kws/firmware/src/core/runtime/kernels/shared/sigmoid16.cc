// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/sigmoid16.h"

namespace kws {
namespace {

constexpr int kPoints = 256;
constexpr int kPointsPerUnit = 24;

struct Table {
  uint16_t values[kPoints];
};

// TFLM's table. Point i is the logistic function of i / 24 as Q0.16, plus half the largest error of
// linear interpolation, so that positive and negative errors balance. The last point is 1.
constexpr Table MakeTable() {
  double step = 1.0;  // exp(-1 / 24), from the exponential series
  double term = 1.0;
  for (int i = 1; i < 20; ++i) {
    term *= -1.0 / (kPointsPerUnit * i);
    step += term;
  }
  Table table{};
  double exponential = 1.0;
  for (int i = 0; i < kPoints - 1; ++i) {
    const double value = 1.0 / (1.0 + exponential);
    const double second_derivative = value * (1.0 - value) * (1.0 - 2.0 * value);
    const double rise = -second_derivative / (16.0 * kPointsPerUnit * kPointsPerUnit);
    table.values[i] =
        static_cast<uint16_t>((static_cast<int32_t>(131072.0 * (value + rise)) + 1) / 2);
    exponential *= step;
  }
  table.values[kPoints - 1] = 65535;
  return table;
}

constexpr Table kTable = MakeTable();

// The function at x / 2^bits points, as Q0.16 with `bits` more fractional bits.
int32_t Interpolate(uint32_t x, int bits) {
  const uint32_t point = x >> bits;
  if (point >= kPoints - 1) return 0xffff << bits;
  const int32_t value = kTable.values[point];
  const int32_t rest = static_cast<int32_t>(x & ((1u << bits) - 1));
  return (value << bits) + rest * (kTable.values[point + 1] - value);
}

}  // namespace

// Points are 512 / 3 apart in Q3.12. sigmoid(-x) = 1 - sigmoid(x).
int16_t Sigmoid16(int16_t x) {
  const int32_t thirds = 3 * x;
  const int32_t value = Interpolate(static_cast<uint32_t>(thirds < 0 ? -thirds : thirds), 9);
  return static_cast<int16_t>((thirds >= 0 ? value + 512 : (1 << 25) - value + 511) >> 10);
}

// tanh(x) = 2 * sigmoid(2 * x) - 1.
int16_t Tanh16(int32_t x) {
  const int32_t value = Interpolate(static_cast<uint32_t>(x < 0 ? -x : x), 8) - (1 << 23);
  return static_cast<int16_t>((x >= 0 ? value + 128 : 127 - value) >> 8);
}

}  // namespace kws
