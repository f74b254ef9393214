// SPDX-License-Identifier: Apache-2.0
// The frontend's parameters, from which the compiler computes all tables (tables.cc). The values
// are from TFLM's micro_speech example; a test compares the tables.
#ifndef KWS_FRONTEND_PARAMS_H_
#define KWS_FRONTEND_PARAMS_H_

#include <cstdint>

namespace kws {
namespace frontend {

// Sound and spectrum.
constexpr int kSampleRate = 16000;                    // Hz
constexpr int kWindowSamples = 480;                   // 30 ms, Hann
constexpr int kNewestSamples = 160;                   // the newest of these
constexpr int kWindowBits = 12;                       // fractional bits of the window's weights
constexpr int kFftSize = 512;                         // the window padded with zeros
constexpr int kComplexSize = kFftSize / 2;            // two real samples make a complex one
constexpr int kUsedComplexSize = kWindowSamples / 2;  // the rest of them are zero

// The FFT divides by 4 in each stage and by 2 at its end. These factors have 15 fractional bits,
// truncated.
constexpr int32_t kQuarter = 32767 / 4;
constexpr int32_t kHalf = 32767 / 2;

// Filter bank: triangles, equally wide on the mel scale mel(f) = 1127 ln(1 + f / 700).
constexpr int kChannels = 40;
constexpr float kLowestHz = 125.0f;
constexpr float kHighestHz = 7500.0f;
constexpr int kFilterBits = 12;  // fractional bits of the filters' weights

// Noise estimate: per channel n += s (x - n), with a smoothing s for even and for odd channels. All
// have kSubtractionBits fractional bits, truncated.
constexpr int kSubtractionBits = 14;
constexpr double kEvenSmoothing = 0.025;
constexpr double kOddSmoothing = 0.06;
constexpr double kMinSignalRemaining = 0.05;  // the minimum share that subtraction leaves
constexpr int kNoiseBits = 10;                // fractional bits of the noise estimate

// PCAN automatic gain control: gain(n) = (n + kGainOffset) ^ -kGainStrength, n the noise estimate.
constexpr float kGainStrength = 0.95f;
constexpr float kGainOffset = 80.0f;
constexpr int kGainBits = 21;  // fractional bits of the gain
constexpr int kSnrShift = 6;   // bits dropped from channel x gain; leaves kSnrBits fractional bits
constexpr int kSnrBits = 12;
constexpr int kShrunkBits = 6;  // fractional bits after the gain's last step, the "shrink" function

// Bits by which a channel is larger than gain and logarithm assume: log2 of the FFT size minus half
// the filters' weight bits (half, because of the root).
constexpr int kCorrectionBits = 3;

// Natural logarithm times kLogScale; then 666 (25.6 x 26, truncated) are 256 steps of int8.
constexpr int kLogScale = 64;
constexpr int kFeatureSteps = 256;
constexpr int kFeatureDivisor = 666;

// The same for features with the noise kept: a tone of full scale is about 1020.
constexpr int kPlainDivisor = 1024;

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_PARAMS_H_
