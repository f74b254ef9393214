// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/fft/spectrum.h"

#include "kws/frontend/always_inline.h"
#include "kws/frontend/fft/complex16.h"
#include "kws/frontend/tables.h"

#ifdef KWS_FRONTEND_FFT_COMPLEX16_DSP_H_
#include "kws/frontend/fft/spectrum_dsp.h"
#endif

namespace kws {
namespace frontend {
namespace {

// Significant bits of x; x > 0.
int BitLength(uint32_t x) { return 32 - __builtin_clz(x); }

// The radix-4 butterfly, in place, on numbers that are already divided by 4 and multiplied with
// twiddles.
KWS_INLINE void Butterfly(Four* x) {
  const Complex even_sum = Add(x->a, x->c);
  const Complex even_difference = Sub(x->a, x->c);
  const Complex odd_sum = Add(x->b, x->d);
  const Complex odd_difference = Sub(x->b, x->d);
  x->a = Add(even_sum, odd_sum);
  x->b = SubTimesJ(even_difference, odd_difference);
  x->c = Sub(even_sum, odd_sum);
  x->d = AddTimesJ(even_difference, odd_difference);
}

#ifndef KWS_FRONTEND_FFT_SPECTRUM_DSP_H_

// Stores complex samples n, n + 1, ... at the FFT's positions, kFftStep apart.
KWS_INLINE void StoreForFft(Complex samples, uint32_t* to) {
  uint32_t lanes[kLanes];
  Store(samples, lanes);
  for (int lane = 0; lane < kLanes; ++lane) to[kFftStep * lane] = lanes[lane];
}

// Writes the weighted samples for the FFT, two per complex number. Returns the OR of their absolute
// values, which has as many bits as the largest.
uint32_t ApplyWindow(const int16_t* before, const int16_t* newest, uint32_t* work) {
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
void Stage(uint32_t* work, int size, const uint32_t* twiddle, int stride) {
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

void LaterStages(uint32_t* work, const uint32_t* twiddles) {
  for (int size = 4; size < kComplexSize; size *= 4) {
    Stage(work, size, twiddles, 3 * kComplexSize / 4 / size);
  }
}

// The complex spectrum z of even + j odd samples yields the real samples' spectrum: bin k and its
// mirror 256 - k come from z[k] and z[256 - k]. The middle bin is its own mirror, written last.
void SplitToEnergies(uint32_t* work) {
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

#endif

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
