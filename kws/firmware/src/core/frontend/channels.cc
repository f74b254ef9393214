// SPDX-License-Identifier: Apache-2.0
#include "frontend/channels.h"

#include "frontend/always_inline.h"
#include "frontend/channel_steps.h"
#include "frontend/tables.h"

namespace kws::frontend {
namespace {

// A band's energies, weighed for the channel that falls and the one that rises over it.
struct BandSums {
  uint64_t falling;
  uint64_t rising;
};

// Walks the bins of a band; `bin` goes to the next band's first. No band is empty.
KWS_INLINE BandSums SumBand(const uint32_t* energies, uint32_t width, uint32_t* bin) {
  BandSums sums = {0, 0};
  const uint32_t* energy = energies + *bin;
  const uint16_t* weight = &kFilterWeights[*bin - kFirstBin];
  const uint16_t* end = weight + width;
  do {
    const uint32_t falling_weight = *weight++;
    sums.falling += static_cast<uint64_t>(*energy) * falling_weight;
    sums.rising += static_cast<uint64_t>(*energy++) * (kFilterOne - falling_weight);
  } while (weight != end);
  *bin += width;
  return sums;
}

}  // namespace

void ComputeFeatures(const uint32_t* energies, int scale, uint32_t* noise, int8_t* features) {
  uint32_t bin = kFirstBin;
  uint64_t rising = SumBand(energies, kBandWidths[0], &bin).rising;
  uint32_t smoothing = Fraction(kEvenSmoothing);
  for (int channel = 0; channel < kChannels; ++channel) {
    const BandSums sums = SumBand(energies, kBandWidths[channel + 1], &bin);
    const uint32_t signal = RoundedSqrt(rising + sums.falling) >> scale;
    rising = sums.rising;
    const uint32_t clean = SubtractNoise(signal, smoothing, &noise[channel]);
    smoothing = Fraction(kEvenSmoothing) + Fraction(kOddSmoothing) - smoothing;
    const uint64_t snr = static_cast<uint64_t>(clean) * GainFor(noise[channel]) >> kSnrShift;
    features[channel] = LogFeature(Shrink(static_cast<uint32_t>(snr)));
  }
}

}  // namespace kws::frontend
