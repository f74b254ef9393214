// SPDX-License-Identifier: Apache-2.0
// The frontend's constant tables. The compiler computes them from params.h; they live in flash.
#ifndef KWS_FRONTEND_TABLES_H_
#define KWS_FRONTEND_TABLES_H_

#include <array>
#include <cstdint>

#include "frontend/params.h"

namespace kws::frontend {

// First half of the Hann window, kWindowBits fractional bits, two weights packed in an element (the
// first of them in the low half); the second half mirrors it. Aligned, so that an address tells
// where a group of four begins.
alignas(16) extern const std::array<uint32_t, kWindowSamples / 4> kWindow;

// Where the FFT wants complex sample n: n with its base-4 digits in reverse order. That is
// kFftPosition[n / 4] + n % 4 x kFftStep.
constexpr int kFftStep = kComplexSize / 4;
extern const std::array<uint8_t, kUsedComplexSize / 4> kFftPosition;

// Complex numbers are packed: low half the real, high half the imaginary part, 15 fractional bits.
// kTwiddles[3 k + i] = exp(-2 pi j (i + 1) k / 256), i = 0..2: what one radix-4 butterfly needs.
// One more follows, for the middle bin.
extern const std::array<uint32_t, 3 * kComplexSize / 4 + 1> kTwiddles;

// The filter bank. Spectral bins are walked once, from kFirstBin on; band i takes kBandWidths[i] of
// them. Band i rises into channel i and falls out of channel i - 1 (band 0 and band 40 have one
// side only). A bin's weight in the falling channel is kFilterWeights, in the rising one
// kFilterOne - weight.
constexpr int kBands = kChannels + 1;
constexpr int kFirstBin = 5;
constexpr int kBinsEnd = 240;                             // one past the last bin that counts
constexpr uint32_t kFilterOne = (1u << kFilterBits) - 1;  // both weights are cut off: 1 less than 1
extern const std::array<uint8_t, kBands> kBandWidths;
extern const std::array<uint16_t, kBinsEnd - kFirstBin> kFilterWeights;

// kSplitTwiddles[k - kFirstBin] = -j exp(-2 pi j k / 512), which split the complex spectrum into
// the real one.
constexpr int kSplits = kComplexSize / 2 + 1 - kFirstBin;
extern const std::array<uint32_t, kSplits> kSplitTwiddles;

// kOddTwiddles[i] = exp(-2 pi j (k + 2 i) / 512), k = kFirstBin. With -j they are those of
// kSplitTwiddles that kTwiddles does not have.
extern const std::array<uint32_t, kSplits / 2> kOddTwiddles;

// Root of 256 (i + 64) + 255, cut off: where a square root starts from.
extern const std::array<uint8_t, 192> kRootStart;

// The gain for noise estimates of i significant bits: a parabola in the bits below the highest.
struct GainSegment {
  int16_t start;
  int16_t slope;
  int16_t curve;
};
extern const std::array<GainSegment, 33> kGain;

// 65536 (log2(1 + i / 128) - i / 128), rounded: what linear interpolation misses.
extern const std::array<uint16_t, 129> kLogCorrection;

}  // namespace kws::frontend

#endif  // KWS_FRONTEND_TABLES_H_
