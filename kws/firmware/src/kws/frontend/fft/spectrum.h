// SPDX-License-Identifier: Apache-2.0
// From a window of sound to the energies of its spectrum.
#ifndef KWS_FRONTEND_FFT_SPECTRUM_H_
#define KWS_FRONTEND_FFT_SPECTRUM_H_

#include <cstdint>

#include "kws/frontend/params.h"

namespace kws {
namespace frontend {

// Weighs kWindowSamples samples with the Hann window, scales them up to use 16 bits, and computes
// the spectrum's energies.
//
// The window is given in two parts, which are only read: `newest` are its last kNewestSamples, and
// `before` are those before them. `work` has kComplexSize elements; afterwards work[k] is the
// energy of bin k (k x 31.25 Hz) for kFirstBin <= k < kBinsEnd, the other elements are undefined.
// Returns the number n of bits by which the samples were scaled up, 0..15: energies are too large
// by a factor of 4^n.
int ComputeEnergies(const int16_t* before, const int16_t* newest, uint32_t* work);

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_FFT_SPECTRUM_H_
