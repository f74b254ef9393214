// SPDX-License-Identifier: Apache-2.0
// The definition of loops/spectrum.h.
#ifndef KWS_FRONTEND_LOOPS_PORTABLE_SPECTRUM_H_
#define KWS_FRONTEND_LOOPS_PORTABLE_SPECTRUM_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/loops/butterfly.h"
#include "kws/frontend/loops/complex16.h"
#include "kws/frontend/params.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {

// Stores complex samples n, n + 1, ... at the FFT's positions, kFftStep apart.
KWS_INLINE void StoreForFft(Complex samples, uint32_t* to) {
  uint32_t lanes[kLanes];
  Store(samples, lanes);
  for (int lane = 0; lane < kLanes; ++lane) to[kFftStep * lane] = lanes[lane];
}

// Writes the weighted samples for the FFT, two per complex number. Returns the OR of their absolute
// values, which has as many bits as the largest.
static uint32_t ApplyWindow(const int16_t* before, const int16_t* newest, uint32_t* work) {
  Magnitudes magnitudes = NoMagnitudes();
  const int16_t* samples = before;
  const int16_t* mirrored = newest + kNewestSamples;
  const uint32_t* window = kWindow.data();
  const uint8_t* position = kFftPosition.data();
  const uint8_t* mirror_position = position + kFftPosition.size();
  while (position != mirror_position) {
    uint32_t* early_at = work + *position++;
    uint32_t* late_at = work + *--mirror_position + kFftStep * (4 - kLanes);
    for (int i = 0; i < 4; i += kLanes) {
      mirrored -= 2 * kLanes;
      const Complex weights = Load(window);
      const Complex early = Weigh(LoadSamples(samples), weights);
      const Complex late = WeighMirrored(LoadSamples(mirrored), weights);
      StoreForFft(early, early_at);
      StoreForFft(late, late_at);
      magnitudes = Join(Join(magnitudes, early), late);
      window += kLanes;
      samples += 2 * kLanes;
      early_at += kFftStep * kLanes;
      late_at -= kFftStep * kLanes;
    }
    if (mirrored == newest) mirrored = before + kWindowSamples - kNewestSamples;
  }
  return Combined(magnitudes);
}

// Combines every four FFTs of `size` into one of 4 x size. `stride`: between twiddles. The first
// twiddles are 1 and skipped: 32767 / 32768 of a number below 2^14 rounds to the same number.
static void Stage(uint32_t* work, int size, const uint32_t* twiddle, int stride) {
  for (int k = 0; k < size; k += kLanes) {
    const Complex turn1 = LoadStrided(twiddle, stride);
    const Complex turn2 = LoadStrided(twiddle + 1, stride);
    const Complex turn3 = LoadStrided(twiddle + 2, stride);
    twiddle += stride * kLanes;
    for (uint32_t* at = work + k; at < work + kComplexSize; at += 4 * size) {
      Four x = {Quarter(Load(at)), Mul(Quarter(Load(at + size)), turn1),
                Mul(Quarter(Load(at + 2 * size)), turn2), Mul(Quarter(Load(at + 3 * size)), turn3)};
      Butterfly(&x);
      Store(x.a, at);
      Store(x.b, at + size);
      Store(x.c, at + 2 * size);
      Store(x.d, at + 3 * size);
    }
  }
}

static void LaterStages(uint32_t* work, const uint32_t* twiddles) {
  for (int size = 4; size < kComplexSize; size *= 4) {
    Stage(work, size, twiddles, 3 * kComplexSize / 4 / size);
  }
}

// The complex spectrum z of even + j odd samples yields the real samples' spectrum: bin k and its
// mirror 256 - k come from z[k] and z[256 - k]. The middle bin is its own mirror, written last.
static void SplitToEnergies(uint32_t* work) {
  static_assert(kSplits % kLanes == 0, "lanes would be left over");
  for (int k = kFirstBin; k <= kComplexSize / 2; k += kLanes) {
    uint32_t* front = work + k;
    uint32_t* back = work + kComplexSize + 1 - kLanes - k;
    const Complex z = Half(Load(front));
    const Complex mirror = HalfOfConjugate(Reverse(Load(back)));
    const Complex even = Add(z, mirror);
    const Complex odd = Mul(Sub(z, mirror), Load(kSplitTwiddles.data() + (k - kFirstBin)));
    Store(EnergiesOfHalfSum(even, odd), front);
    Store(Reverse(EnergiesOfHalfMirror(even, odd)), back);
  }
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_PORTABLE_SPECTRUM_H_
