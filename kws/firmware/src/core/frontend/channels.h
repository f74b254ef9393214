// SPDX-License-Identifier: Apache-2.0
// From the energies of the spectrum to the 40 features.
#ifndef KWS_FRONTEND_CHANNELS_H_
#define KWS_FRONTEND_CHANNELS_H_

#include <cstdint>

namespace kws::frontend {

// Sums the energies in kChannels channels and takes each through the steps in channel_steps.h.
// `work` as ComputeEnergies leaves it, `scale` its result; it is overwritten. Updates kChannels
// noise estimates (kNoiseBits fractional bits) and writes kChannels features.
void ComputeFeatures(uint32_t* work, int scale, uint32_t* noise, int8_t* features);

}  // namespace kws::frontend

#endif  // KWS_FRONTEND_CHANNELS_H_
