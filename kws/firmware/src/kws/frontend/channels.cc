// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/channels.h"

#include "kws/frontend/always_inline.h"
#include "kws/frontend/channel_steps.h"
#include "kws/frontend/loops/band.h"
#include "kws/frontend/loops/root.h"
#include "kws/frontend/tables.h"

namespace kws {
namespace frontend {
namespace {

// Overwrites the first energies with the channels' amplitudes. The first amplitude is unused: the
// first band has no falling channel.
template <uint32_t kOne>
KWS_INLINE void SumChannels(uint32_t* work, int scale, const uint16_t* weights) {
  Bins bins = {work + kFirstBin, weights};
  uint64_t rising = 0;
  for (int band = 0; band < kBands; ++band) {
    uint64_t sum = rising;
    rising = AddBand<kOne>(kBandWidths.data()[band], &bins, &sum);
    work[band] = RoundedSqrt(sum) >> scale;
  }
}

KWS_INLINE void Finish(uint32_t log, int8_t* out) { *out = Feature<kFeatureDivisor>(log); }
KWS_INLINE void Finish(uint32_t log, uint16_t* out) { *out = static_cast<uint16_t>(log); }

// Smoothing factors alternate between channels.
KWS_INLINE uint32_t Other(uint32_t smoothing) {
  return Fraction(kEvenSmoothing) + Fraction(kOddSmoothing) - smoothing;
}

// After SumChannels: in two passes, because one would need more registers than the Cortex-M4 has.
template <typename Out>
KWS_INLINE void ApplySteps(const uint32_t* work, uint32_t* noise, Out* out) {
  uint32_t smoothing = Fraction(kEvenSmoothing);
  for (int channel = 0; channel < kChannels; ++channel) {
    const uint32_t clean = SubtractNoise(work[channel + 1], smoothing, &noise[channel]);
    smoothing = Other(smoothing);
    const uint64_t snr = static_cast<uint64_t>(clean) * GainFor(noise[channel]) >> kSnrShift;
    Finish(ScaledLog(Shrink(static_cast<uint32_t>(snr))), &out[channel]);
  }
}

// The same without noise removal and gain.
void ApplyLogarithm(const uint32_t* work, uint32_t* noise, int8_t* out) {
  uint32_t smoothing = Fraction(kEvenSmoothing);
  for (int channel = 0; channel < kChannels; ++channel) {
    const uint32_t amplitude = work[channel + 1];
    UpdateNoise(amplitude, smoothing, &noise[channel]);
    smoothing = Other(smoothing);
    out[channel] = Feature<kPlainDivisor>(ScaledLog(amplitude));
  }
}

}  // namespace

void ComputeFeatures(uint32_t* work, int scale, bool keep_noise, uint32_t* noise,
                     int8_t* features) {
  SumChannels<kFilterOne>(work, scale, kFilterWeights.data());
  if (keep_noise) {
    ApplyLogarithm(work, noise, features);
  } else {
    ApplySteps(work, noise, features);
  }
}

void ComputeLogarithms(uint32_t* work, int scale, uint32_t* noise, uint16_t* logarithms) {
  SumChannels<kRoundedOne>(work, scale, kRoundedWeights.data());
  ApplySteps(work, noise, logarithms);
}

}  // namespace frontend
}  // namespace kws
