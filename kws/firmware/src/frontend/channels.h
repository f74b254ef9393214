// From the energies of the spectrum to the 40 features: filter bank, root, noise subtraction, gain,
// logarithm. The steps are here one by one for their tests.
#ifndef KWS_FRONTEND_CHANNELS_H_
#define KWS_FRONTEND_CHANNELS_H_

#include <cstdint>

#include "frontend/params.h"

namespace kws::frontend {

// `energies` as ComputeEnergies leaves them, `scale` its result. Updates kChannels noise estimates
// (kNoiseBits fractional bits) and writes kChannels features.
void ComputeFeatures(const uint32_t* energies, int scale, uint32_t* noise, int8_t* features);

// Square root of x < 2^48, rounded; but for x < 2^32 at most 65535, as in the reference.
uint32_t RoundedSqrt(uint64_t x);

// Updates the noise estimate with a channel's signal and returns the signal less the noise.
// `smoothing` has kSubtractionBits fractional bits.
uint32_t SubtractNoise(uint32_t signal, uint32_t smoothing, uint32_t* noise);

// The gain's factor for a noise estimate: kGainBits fractional bits.
uint32_t GainFor(uint32_t noise);

// Signal x gain to what the logarithm takes: s^2 / 4 below s = 2, else s - 1. `snr` has kSnrBits
// fractional bits, the result kShrunkBits.
uint32_t Shrink(uint32_t snr);

// kLogScale x ln(x x 2^kCorrectionBits), as an int8 feature: -128 for nothing at all, at most 127.
int8_t LogFeature(uint32_t x);

}  // namespace kws::frontend

#endif  // KWS_FRONTEND_CHANNELS_H_
