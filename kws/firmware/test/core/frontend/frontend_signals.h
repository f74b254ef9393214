// SPDX-License-Identifier: Apache-2.0
// Windows of extreme artificial sound, in integer arithmetic, so that they are the same on every
// target.
#ifndef KWS_TEST_CORE_FRONTEND_FRONTEND_SIGNALS_H_
#define KWS_TEST_CORE_FRONTEND_FRONTEND_SIGNALS_H_

#include <array>
#include <cstdint>

#include "kws/frontend/frontend.h"
#include "kws/frontend/tables.h"

namespace kws::test {

using Window = std::array<int16_t, Frontend::kWindowSamples>;

// Marsaglia's xorshift32.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  uint32_t state_;
};

enum class Signal {
  kZero,
  kFaint,          // -1, 0 and 1
  kNoise,          // at a level that changes from frame to frame
  kFullScale,      // 32767 or -32768 at random
  kNegativeDc,     // -32768
  kSquareWaves,    // full scale, with a different period each frame
  kImpulses,       // lone samples of +-2^k
  kLateNegative,   // noise, -32768 in the window's middle, then a slow rise to zero
  kInverseWindow,  // flat once the window is applied, so that the FFT's sums overflow
};
constexpr int kSignalCount = 9;
constexpr int kSignalFrames = 48;

// `frame` of a signal's kSignalFrames.
inline Window MakeWindow(Signal signal, int frame) {
  Random random(2654435761u * static_cast<uint32_t>(1 + frame + 100 * static_cast<int>(signal)));
  Window window{};
  for (int i = 0; i < Frontend::kWindowSamples; ++i) {
    const uint32_t r = random.Next();
    const auto noise = static_cast<int16_t>(r >> 16);
    int32_t x = 0;
    switch (signal) {
      case Signal::kZero:
        break;
      case Signal::kFaint:
        x = static_cast<int32_t>((r >> 8) % 3) - 1;
        break;
      case Signal::kNoise:
        x = noise >> (frame % 16);
        break;
      case Signal::kFullScale:
        x = noise < 0 ? -32768 : 32767;
        break;
      case Signal::kNegativeDc:
        x = -32768;
        break;
      case Signal::kSquareWaves:
        x = i / (1 + frame) % 2 == 0 ? 32767 : -32768;
        break;
      case Signal::kImpulses:
        if (i % 97 == frame) x = (noise < 0 ? -1 : 1) * (1 << (frame % 15));
        break;
      case Signal::kLateNegative:
        if (i < 237 + frame % 5) x = noise;
        if (i == 237 + frame % 5) x = -32768;
        if (i > 237 + frame % 5) x = (i - 480) * frame;
        break;
      case Signal::kInverseWindow: {
        // Size 2^bits - 1 once the window is applied, then scaled up to full scale. Even and odd
        // samples have the signs of a rotating complex number: all of it adds up in one bin.
        const uint32_t pair =
            frontend::kWindow[static_cast<size_t>(i < 240 ? i / 2 : 119 - (i / 2 - 120))];
        const int weight = static_cast<int>((i % 2 == 0) == (i < 240) ? pair & 0xFFFF : pair >> 16);
        const int size = (1 << (5 + frame % 5)) - 1;
        const int quarter = (i / 2 * (frame * 5 + 1) * 4 + frame * 37) % 1024 / 256;
        const bool positive = i % 2 == 0 ? quarter == 0 || quarter == 3 : quarter < 2;
        const int largest = weight == 0 ? 32767 : size * 4096 / weight;
        x = positive ? largest + (weight != 0 && size * 4096 % weight != 0 ? 1 : 0) : -largest;
        if (x > 32767) x = 32767;
        if (x < -32768) x = -32768;
        break;
      }
    }
    window[static_cast<size_t>(i)] = static_cast<int16_t>(x);
  }
  return window;
}

}  // namespace kws::test

#endif  // KWS_TEST_CORE_FRONTEND_FRONTEND_SIGNALS_H_
