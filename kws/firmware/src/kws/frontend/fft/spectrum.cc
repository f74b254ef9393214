// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/fft/spectrum.h"

#include "kws/frontend/always_inline.h"
#include "kws/frontend/loops/butterfly.h"
#include "kws/frontend/loops/complex16.h"
#include "kws/frontend/loops/spectrum.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {
namespace {

// Significant bits of x; x > 0.
int BitLength(uint32_t x) { return 32 - __builtin_clz(x); }

// In the reference a sample of -32768 makes the maximum so far negative: only later samples count,
// and scaling may wrap around. Rare (full scale in the middle of the window), but required for
// bit-exactness.
__attribute__((cold, noinline)) int ScaleLikeReference(uint32_t* work) {
  int32_t largest = 0;
  for (uint8_t position : kFftPosition) {
    for (int half = 0; half < 8; ++half) {
      const uint32_t pair = work[position + kFftStep * (half / 2)];
      int32_t value = static_cast<int16_t>(pair >> 16 * (half & 1));
      if (value <= largest) value = -value;
      if (value > largest) largest = static_cast<int16_t>(value);
    }
  }
  const int scale = largest > 0 ? 15 - BitLength(static_cast<uint32_t>(largest)) : 0;
  for (int i = 0; i < kComplexSize; ++i) {
    const uint32_t pair = work[i];
    work[i] = ((pair << scale) & 0xFFFF) | (pair >> 16) << (16 + scale);
  }
  return scale;
}

// First stage: four consecutive numbers, scaled up. The window's padding, complex samples 240 to
// 255, is at positions 16 i + 15, which were not written.
void FirstStage(uint32_t* work, int scale) {
  for (uint32_t* group = work; group < work + kComplexSize; group += 16) {
    group[15] = 0;
    for (uint32_t* at = group; at < group + 16; at += 4 * kLanes) {
      Four x = LoadFour(at);
      x.a = QuarterOfShifted(x.a, scale);
      x.b = QuarterOfShifted(x.b, scale);
      x.c = QuarterOfShifted(x.c, scale);
      x.d = QuarterOfShifted(x.d, scale);
      Butterfly(&x);
      StoreFour(x, at);
    }
  }
}

}  // namespace

int ComputeEnergies(const int16_t* before, const int16_t* newest, uint32_t* work) {
  const uint32_t magnitude = ApplyWindow(before, newest, work);
  int scale = 0;
  int already_scaled = 0;
  if (magnitude >= 0x8000) {
    already_scaled = ScaleLikeReference(work);
  } else {
    scale = 15 - BitLength(magnitude | 1);  // | 1: silence
  }
  FirstStage(work, scale);
  LaterStages(work, kTwiddles.data());
  SplitToEnergies(work);
  return scale + already_scaled;
}

}  // namespace frontend
}  // namespace kws
