// SPDX-License-Identifier: Apache-2.0
// The frontend's constant tables, which live in flash. tools/core_tables.cc computes their values
// from params.h.
#ifndef KWS_FRONTEND_TABLES_H_
#define KWS_FRONTEND_TABLES_H_

#include <array>
#include <cstdint>

#include "kws/frontend/params.h"

namespace kws {
namespace frontend {

// First half of the symmetric Hann window, kWindowBits fractional bits, two weights per element,
// the first in the low half. Aligned, so that code can test the address for groups of four.
alignas(16) extern const std::array<uint32_t, kWindowSamples / 4> kWindow;

// The FFT's position of complex sample n, n with its base-4 digits reversed, is
// kFftPosition[n / 4] + n % 4 x kFftStep.
constexpr int kFftStep = kComplexSize / 4;
extern const std::array<uint8_t, kUsedComplexSize / 4> kFftPosition;

// Complex numbers are packed: low half the real, high half the imaginary part, 15 fractional bits.
// kTwiddles[3 k + i] = exp(-2 pi j (i + 1) k / 256), i = 0..2, for one radix-4 butterfly. One more
// follows, for the middle bin.
extern const std::array<uint32_t, 3 * kComplexSize / 4 + 1> kTwiddles;

// The filter bank. Band i has kBandWidths[i] spectral bins; band 0 starts at kFirstBin. In band i,
// channel i rises and channel i - 1 falls (bands 0 and 40 have only one channel). A bin's weight in
// the falling channel is kFilterWeights, in the rising channel kFilterOne - weight.
constexpr int kBands = kChannels + 1;
constexpr float kHzPerBin = static_cast<float>(kSampleRate) / kFftSize;
constexpr int kFirstBin = static_cast<int>(kLowestHz / kHzPerBin + 1.5f);
// One past the last bin. The bin at kHighestHz itself, if there is one, is not used.
constexpr int kBinsEnd = kComplexSize - static_cast<int>(kComplexSize - kHighestHz / kHzPerBin);
constexpr uint32_t kFilterOne = (1u << kFilterBits) - 1;  // both weights are truncated
extern const std::array<uint8_t, kBands> kBandWidths;
extern const std::array<uint16_t, kBinsEnd - kFirstBin> kFilterWeights;

// The same as TFLM's microfrontend in C rounds them, in its version for Arduino (other versions
// differ by 1, because they compute in float); the audio preprocessor's are truncated.
constexpr uint32_t kRoundedOne = 1u << kFilterBits;
extern const std::array<uint16_t, kBinsEnd - kFirstBin> kRoundedWeights;

// kSplitTwiddles[k - kFirstBin] = -j exp(-2 pi j k / 512), to compute the real samples' spectrum
// from the complex spectrum.
constexpr int kSplits = kComplexSize / 2 + 1 - kFirstBin;
static_assert(kFirstBin % 2 == 1 && kSplits % 2 == 0, "choose a kLowestHz whose bin is odd");
extern const std::array<uint32_t, kSplits> kSplitTwiddles;

// kOddTwiddles[i] = exp(-2 pi j (k + 2 i) / 512), k = kFirstBin: times -j, the kSplitTwiddles that
// kTwiddles does not contain.
extern const std::array<uint32_t, kSplits / 2> kOddTwiddles;

// Truncated root of 256 (i + 64) + 255: the start value of a square root.
extern const std::array<uint8_t, 192> kRootStart;

// The gain for noise estimates of i significant bits: a parabola in the bits below the highest.
struct GainSegment {
  int16_t start;
  int16_t slope;
  int16_t curve;
};
extern const std::array<GainSegment, 33> kGain;

// 65536 (log2(1 + i / 128) - i / 128), rounded: the error of linear interpolation.
extern const std::array<uint16_t, 129> kLogCorrection;

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_TABLES_H_
