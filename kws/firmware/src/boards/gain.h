// SPDX-License-Identifier: Apache-2.0
// Converts a gain in decibels to a factor, for ports whose microphone has no gain.
#ifndef KWS_BOARDS_GAIN_H_
#define KWS_BOARDS_GAIN_H_

#include <cstdint>

namespace kws {
namespace board {

constexpr int kGainBits = 12;  // fractional bits
constexpr int32_t kGainOne = 1 << kGainBits;

// `decibels`: -20 to 20; 0 yields kGainOne.
inline int32_t GainOf(int decibels) {
  constexpr uint32_t kLouder = 73533;  // 1 dB more, in 1/65536
  constexpr uint32_t kSofter = 58409;  // 1 dB less
  const uint32_t step = decibels > 0 ? kLouder : kSofter;
  uint32_t value = kGainOne;
  for (int i = decibels > 0 ? decibels : -decibels; i > 0; --i) {
    value = (value * step + 32768) >> 16;
  }
  return static_cast<int32_t>(value);
}

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_GAIN_H_
