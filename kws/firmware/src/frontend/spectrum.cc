#include "frontend/spectrum.h"

#include <cstring>

#include "frontend/complex16.h"
#include "frontend/tables.h"

namespace kws::frontend {
namespace {

// Significant bits of x; x > 0.
int BitLength(uint32_t x) { return 32 - __builtin_clz(x); }

// Two samples as a complex number; they may lie across a word boundary.
Complex LoadSamples(const int16_t* samples) {
  uint32_t pair;
  std::memcpy(&pair, samples, sizeof(pair));
  return Unpack(pair);
}

// Writes the weighted samples, two as one complex number, where the FFT wants them. Returns the OR
// of their absolute values, which has as many bits as the largest of them.
uint32_t ApplyWindow(const int16_t* samples, uint32_t* work) {
  uint32_t magnitudes = 0;
  for (int n = 0; n < kUsedComplexSize / 2; ++n) {
    const int mirror = kUsedComplexSize - 1 - n;
    const Complex early = Weigh(LoadSamples(samples + 2 * n), kWindow[n]);
    const Complex late = WeighMirrored(LoadSamples(samples + 2 * mirror), kWindow[n]);
    work[kFftPosition[n]] = Pack(early);
    work[kFftPosition[mirror]] = Pack(late);
    magnitudes |= Magnitude(early) | Magnitude(late);
  }
  return (magnitudes | magnitudes >> 16) & 0xFFFF;
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

// The radix-4 butterfly on parts that are already divided by 4 and turned.
inline void Butterfly(Complex a0, Complex a1, Complex a2, Complex a3, uint32_t* out, int stride) {
  const Complex even_sum = Add(a0, a2);
  const Complex even_difference = Sub(a0, a2);
  const Complex odd_sum = Add(a1, a3);
  const Complex odd_difference = Sub(a1, a3);
  out[0] = Pack(Add(even_sum, odd_sum));
  out[stride] = Pack(SubTimesJ(even_difference, odd_difference));
  out[2 * stride] = Pack(Sub(even_sum, odd_sum));
  out[3 * stride] = Pack(AddTimesJ(even_difference, odd_difference));
}

// First stage: four numbers side by side, scaled up on the way in. The window's padding, complex
// samples 240 to 255, belongs to positions 16 i + 15: the last number of every fourth butterfly is
// zero, and was not written.
void FirstStage(uint32_t* work, int scale) {
  const auto load = [scale](uint32_t packed) { return QuarterOfShifted(Unpack(packed), scale); };
  for (uint32_t* group = work; group < work + kComplexSize; group += 16) {
    uint32_t* x = group;
    for (; x < group + 12; x += 4) Butterfly(load(x[0]), load(x[1]), load(x[2]), load(x[3]), x, 1);
    const Complex even = load(x[0]);
    const Complex odd = load(x[1]);
    const Complex next_even = load(x[2]);
    const Complex sum = Add(even, next_even);
    const Complex difference = Sub(even, next_even);
    x[0] = Pack(Add(sum, odd));
    x[1] = Pack(SubTimesJ(difference, odd));
    x[2] = Pack(Sub(sum, odd));
    x[3] = Pack(AddTimesJ(difference, odd));
  }
}

// Joins each four FFTs of `size` into one of 4 x size. A twiddle of 1 changes nothing (32767 /
// 32768 of a number below 2^14 rounds to that number), so that k = 0 goes without.
template <int size>
void Stage(uint32_t* work) {
  constexpr int kGroups = kComplexSize / (4 * size);
  uint32_t* x = work;
  for (int group = 0; group < kGroups; ++group, x += 4 * size) {
    Butterfly(Quarter(Unpack(x[0])), Quarter(Unpack(x[size])), Quarter(Unpack(x[2 * size])),
              Quarter(Unpack(x[3 * size])), x, size);
  }
  const uint32_t* w = kTwiddles.data();
  for (int k = 1; k < size; ++k) {
    w += 3 * kGroups;
    const uint32_t w1 = w[0];
    const uint32_t w2 = w[1];
    const uint32_t w3 = w[2];
    x = work + k;
    for (int group = 0; group < kGroups; ++group, x += 4 * size) {
      Butterfly(Quarter(Unpack(x[0])), Mul(Quarter(Unpack(x[size])), w1),
                Mul(Quarter(Unpack(x[2 * size])), w2), Mul(Quarter(Unpack(x[3 * size])), w3), x,
                size);
    }
  }
}

// The complex spectrum z of even + j odd samples gives the real samples' spectrum: bin k and its
// mirror 256 - k come from z[k] and z[256 - k]. The middle bin is its own mirror, written last.
void SplitToEnergies(uint32_t* work) {
  for (int k = kFirstBin; k <= kComplexSize / 2; ++k) {
    const Complex z = Half(Unpack(work[k]));
    const Complex mirror = HalfOfConjugate(Unpack(work[kComplexSize - k]));
    const Complex even = Add(z, mirror);
    const Complex odd = Mul(Sub(z, mirror), kSplitTwiddles[k]);
    work[k] = EnergyOfHalfSum(even, odd);
    work[kComplexSize - k] = EnergyOfHalfMirror(even, odd);
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
