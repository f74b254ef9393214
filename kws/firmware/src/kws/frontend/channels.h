// SPDX-License-Identifier: Apache-2.0
// The 40 features from the energies of the spectrum.
#ifndef KWS_FRONTEND_CHANNELS_H_
#define KWS_FRONTEND_CHANNELS_H_

#include <cstdint>

namespace kws {
namespace frontend {

// Sums the energies in kChannels channels and applies the steps of channel_steps.h. `work`:
// energies of ComputeEnergies, overwritten; `scale`: its result. Updates kChannels noise estimates
// (kNoiseBits fractional bits) and writes kChannels features. `keep_noise`: without noise removal
// and gain.
void ComputeFeatures(uint32_t* work, int scale, bool keep_noise, uint32_t* noise, int8_t* features);

// The same as TFLM's microfrontend in C computes it: with rounded filter weights, and before the
// logarithms (kLogScale) become features.
void ComputeLogarithms(uint32_t* work, int scale, uint32_t* noise, uint16_t* logarithms);

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_CHANNELS_H_
