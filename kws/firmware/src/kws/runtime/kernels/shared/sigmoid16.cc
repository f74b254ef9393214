// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/sigmoid16.h"

#include <array>
#include <cstdint>

namespace kws {
namespace {

constexpr int kPoints = 256;
// The logistic function from 0 to 255 / 24; tools/core_tables.cc computes it.
#include "kws/runtime/kernels/shared/sigmoid_values.inc"

// The function at x / 2^bits points, as Q0.16 with `bits` more fractional bits.
int32_t Interpolate(uint32_t x, int bits) {
  const uint32_t point = x >> bits;
  if (point >= kPoints - 1) return 0xffff << bits;
  const int32_t value = kTable[point];
  const int32_t rest = static_cast<int32_t>(x & ((1u << bits) - 1));
  return (value << bits) + rest * (kTable[point + 1] - value);
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
