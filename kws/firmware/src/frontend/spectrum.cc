#include "frontend/spectrum.h"

#include "frontend/always_inline.h"
#include "frontend/complex16.h"
#include "frontend/tables.h"

namespace kws::frontend {
namespace {

// Significant bits of x; x > 0.
int BitLength(uint32_t x) { return 32 - __builtin_clz(x); }

// Stores complex samples n, n + 1, ... where the FFT wants them.
KWS_INLINE void StoreForFft(Complex samples, int n, uint32_t* work) {
  uint32_t lanes[kLanes];
  Store(samples, lanes);
  for (int lane = 0; lane < kLanes; ++lane) work[kFftPosition[n + lane]] = lanes[lane];
}

// Writes the weighted samples, two as one complex number, for the FFT. Returns the OR of their
// absolute values, which has as many bits as the largest of them.
uint32_t ApplyWindow(const int16_t* samples, uint32_t* work) {
  Magnitudes magnitudes = NoMagnitudes();
  for (int n = 0; n < kUsedComplexSize / 2; n += kLanes) {
    const int mirror = kUsedComplexSize - kLanes - n;
    const Complex weights = Load(&kWindow[n]);
    const Complex early = Weigh(LoadSamples(samples + 2 * n), weights);
    const Complex late = WeighMirrored(LoadSamples(samples + 2 * mirror), weights);
    StoreForFft(early, n, work);
    StoreForFft(late, mirror, work);
    magnitudes = Join(Join(magnitudes, early), late);
  }
  return Combined(magnitudes);
}

// The reference takes a sample of -32768 for its largest magnitude so far, negative, and goes on
// from there: what was before is forgotten and it scales by what comes after, wrapping around. Rare
// (it takes full scale in the middle of the window); done the same way, since bits must be equal.
int ScaleLikeReference(uint32_t* work) {
  int32_t largest = 0;
  for (uint8_t position : kFftPosition) {
    for (int shift = 0; shift < 32; shift += 16) {
      const int32_t value = static_cast<int16_t>(work[position] >> shift);
      if (value > largest) {
        largest = value;
      } else if (-value > largest) {
        largest = static_cast<int16_t>(-value);
      }
    }
  }
  const int scale = largest > 0 ? 15 - BitLength(static_cast<uint32_t>(largest)) : 0;
  for (uint8_t position : kFftPosition) {
    const uint32_t pair = work[position];
    work[position] = ((pair << scale) & 0xFFFF) | (pair >> 16) << (16 + scale);
  }
  return scale;
}

// The radix-4 butterfly, in place, on numbers that are already divided by 4 and turned.
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

// The same with d = 0.
KWS_INLINE void ShortButterfly(Four* x) {
  const Complex even_sum = Add(x->a, x->c);
  const Complex even_difference = Sub(x->a, x->c);
  const Complex odd = x->b;
  x->a = Add(even_sum, odd);
  x->b = SubTimesJ(even_difference, odd);
  x->c = Sub(even_sum, odd);
  x->d = AddTimesJ(even_difference, odd);
}

// First stage: four numbers side by side, scaled up on the way in. The window's padding, complex
// samples 240 to 255, belongs to positions 16 i + 15, which were not written: the last number of
// every fourth butterfly is zero.
void FirstStage(uint32_t* work, int scale) {
  for (uint32_t* group = work; group < work + kComplexSize; group += 16) {
    if constexpr (kLanes == 4) group[15] = 0;
    constexpr int kWhole = kLanes == 1 ? 12 : 16;
    for (uint32_t* at = group; at < group + kWhole; at += 4 * kLanes) {
      Four x = LoadFour(at);
      x.a = QuarterOfShifted(x.a, scale);
      x.b = QuarterOfShifted(x.b, scale);
      x.c = QuarterOfShifted(x.c, scale);
      x.d = QuarterOfShifted(x.d, scale);
      Butterfly(&x);
      StoreFour(x, at);
    }
    if constexpr (kLanes == 1) {
      Four x = LoadFour(group + 12);
      x.a = QuarterOfShifted(x.a, scale);
      x.b = QuarterOfShifted(x.b, scale);
      x.c = QuarterOfShifted(x.c, scale);
      ShortButterfly(&x);
      StoreFour(x, group + 12);
    }
  }
}

template <int size>
KWS_INLINE Four LoadQuarters(const uint32_t* from) {
  return {Quarter(Load(from)), Quarter(Load(from + size)), Quarter(Load(from + 2 * size)),
          Quarter(Load(from + 3 * size))};
}

template <int size>
KWS_INLINE void StoreApart(const Four& x, uint32_t* to) {
  Store(x.a, to);
  Store(x.b, to + size);
  Store(x.c, to + 2 * size);
  Store(x.d, to + 3 * size);
}

// Joins each four FFTs of `size` into one of 4 x size. A twiddle of 1 changes nothing (32767 /
// 32768 of a number below 2^14 rounds to that number), so that k = 0 goes without when it goes
// alone.
template <int size>
void Stage(uint32_t* work) {
  constexpr int kGroups = kComplexSize / (4 * size);
  if constexpr (kLanes == 1) {
    uint32_t* at = work;
    for (int group = 0; group < kGroups; ++group, at += 4 * size) {
      Four x = LoadQuarters<size>(at);
      Butterfly(&x);
      StoreApart<size>(x, at);
    }
  }
  const uint32_t* twiddle = kTwiddles.data();
  for (int k = kLanes == 1 ? 1 : 0; k < size; k += kLanes) {
    if constexpr (kLanes == 1) twiddle += 3 * kGroups;
    const Complex turn1 = LoadStrided(twiddle, 3 * kGroups);
    const Complex turn2 = LoadStrided(twiddle + 1, 3 * kGroups);
    const Complex turn3 = LoadStrided(twiddle + 2, 3 * kGroups);
    if constexpr (kLanes > 1) twiddle += 3 * kGroups * kLanes;
    uint32_t* at = work + k;
    for (int group = 0; group < kGroups; ++group, at += 4 * size) {
      Four x = LoadQuarters<size>(at);
      x.b = Mul(x.b, turn1);
      x.c = Mul(x.c, turn2);
      x.d = Mul(x.d, turn3);
      Butterfly(&x);
      StoreApart<size>(x, at);
    }
  }
}

// The complex spectrum z of even + j odd samples gives the real samples' spectrum: bin k and its
// mirror 256 - k come from z[k] and z[256 - k]. The middle bin is its own mirror, written last.
void SplitToEnergies(uint32_t* work) {
  static_assert((kComplexSize / 2 + 1 - kFirstBin) % kLanes == 0, "lanes would be left over");
  for (int k = kFirstBin; k <= kComplexSize / 2; k += kLanes) {
    uint32_t* front = work + k;
    uint32_t* back = work + kComplexSize + 1 - kLanes - k;
    const Complex z = Half(Load(front));
    const Complex mirror = HalfOfConjugate(Reverse(Load(back)));
    const Complex even = Add(z, mirror);
    const Complex odd = Mul(Sub(z, mirror), Load(&kSplitTwiddles[k]));
    Store(EnergiesOfHalfSum(even, odd), front);
    Store(Reverse(EnergiesOfHalfMirror(even, odd)), back);
  }
}

}  // namespace

int ComputeEnergies(const int16_t* samples, uint32_t* work) {
  const uint32_t magnitude = ApplyWindow(samples, work);
  int scale = 0;
  int already_scaled = 0;
  if (magnitude >= 0x8000) {
    already_scaled = ScaleLikeReference(work);
  } else if (magnitude != 0) {
    scale = 15 - BitLength(magnitude);
  }
  FirstStage(work, scale);
  Stage<4>(work);
  Stage<16>(work);
  Stage<64>(work);
  SplitToEnergies(work);
  return scale + already_scaled;
}

}  // namespace kws::frontend
