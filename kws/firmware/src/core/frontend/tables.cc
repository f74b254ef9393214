// SPDX-License-Identifier: Apache-2.0
#include "frontend/tables.h"

#include "frontend/const_math.h"

namespace kws::frontend {
namespace {

using const_math::CosOfTurn;
using const_math::Exp;
using const_math::Floor;
using const_math::kLn2;
using const_math::Log;

constexpr int kDigitCount = 4;  // 256 = 4^4

constexpr auto MakeWindow() {
  std::array<uint32_t, kWindowSamples / 4> window{};
  for (int i = 0; i < kWindowSamples / 2; ++i) {
    const double hann = 0.5 - 0.5 * CosOfTurn(2 * i + 1, 2 * kWindowSamples);
    const auto weight = static_cast<uint32_t>(Floor(hann * (1 << kWindowBits) + 0.5));
    window[i / 2] |= weight << (i % 2 == 0 ? 0 : 16);
  }
  return window;
}

constexpr auto MakeFftPosition() {
  std::array<uint8_t, kUsedComplexSize / 4> position{};
  for (int n = 0; n < kUsedComplexSize; n += 4) {
    int reversed = 0;
    for (int digit = 0; digit < kDigitCount; ++digit) {
      reversed = 4 * reversed + ((n >> (2 * digit)) & 3);
    }
    position[n / 4] = static_cast<uint8_t>(reversed);
  }
  return position;
}

// exp(-2 pi j numerator / denominator), packed, 15 fractional bits: 1 is 32767.
constexpr uint32_t Twiddle(int numerator, int denominator) {
  const double re = 32767 * CosOfTurn(numerator, denominator);
  const double im = 32767 * CosOfTurn(4 * numerator + denominator, 4 * denominator);
  const auto re_bits = static_cast<uint16_t>(static_cast<int32_t>(Floor(re + 0.5)));
  const auto im_bits = static_cast<uint16_t>(static_cast<int32_t>(Floor(im + 0.5)));
  return re_bits | static_cast<uint32_t>(im_bits) << 16;
}

constexpr auto MakeTwiddles() {
  std::array<uint32_t, 3 * kComplexSize / 4 + 1> twiddles{};
  for (int k = 0; k < kComplexSize / 4; ++k) {
    for (int i = 0; i < 3; ++i) twiddles[3 * k + i] = Twiddle((i + 1) * k, kComplexSize);
  }
  twiddles.back() = Twiddle(kComplexSize / 4, kComplexSize);
  return twiddles;
}

constexpr auto MakeSplitTwiddles() {
  std::array<uint32_t, kSplits> twiddles{};
  for (int i = 0; i < kSplits; ++i) {
    twiddles[i] = Twiddle(kFirstBin + i + kFftSize / 4, kFftSize);  // -j is a quarter of a turn
  }
  return twiddles;
}

constexpr auto MakeOddTwiddles() {
  static_assert(kFirstBin % 2 == 1 && kSplits % 2 == 0, "choose a kLowestHz whose bin is odd");
  std::array<uint32_t, kSplits / 2> twiddles{};
  for (int i = 0; i < kSplits / 2; ++i) twiddles[i] = Twiddle(kFirstBin + 2 * i, kFftSize);
  return twiddles;
}

constexpr float Mel(float hz) {
  return 1127.0f * static_cast<float>(Log(1.0 + static_cast<double>(hz / 700.0f)));
}

struct FilterBank {
  std::array<uint8_t, kBands> widths;
  std::array<uint16_t, kBinsEnd - kFirstBin> weights;
  int bins_end;
};

// In float, as in the reference.
constexpr FilterBank MakeFilterBank() {
  FilterBank bank{};
  const float mel_low = Mel(kLowestHz);
  const float mel_step = (Mel(kHighestHz) - mel_low) / kBands;
  int bin = kFirstBin;
  for (int band = 0; band < kBands; ++band) {
    const float end = mel_low + mel_step * static_cast<float>(band + 1);
    const float start = band == 0 ? mel_low : mel_low + mel_step * static_cast<float>(band);
    for (; bin < kBinsEnd && Mel(static_cast<float>(bin) * kHzPerBin) <= end; ++bin) {
      const float weight = (end - Mel(static_cast<float>(bin) * kHzPerBin)) / (end - start);
      bank.weights[bin - kFirstBin] = static_cast<uint16_t>(weight * (1 << kFilterBits));
      ++bank.widths[band];
    }
  }
  bank.bins_end = bin;
  return bank;
}

constexpr FilterBank kFilterBank = MakeFilterBank();
static_assert(kFilterBank.bins_end == kBinsEnd, "choose a kHighestHz between two bins");

// The root of a channel is computed for sums below 2^48: a bin's energy is at most 2^31.
constexpr bool ChannelSumsFit() {
  int bin = 0;
  uint64_t rising = 0;
  for (int band = 0; band < kBands; ++band) {
    uint64_t falling = 0;
    uint64_t next_rising = 0;
    for (int i = 0; i < kFilterBank.widths[band]; ++i, ++bin) {
      falling += kFilterBank.weights[bin];
      next_rising += kFilterOne - kFilterBank.weights[bin];
    }
    if (rising + falling >= (uint64_t{1} << (48 - 31))) return false;
    rising = next_rising;
  }
  return true;
}
static_assert(ChannelSumsFit(), "a channel's sum may need more than 48 bits");

constexpr auto MakeRootStart() {
  std::array<uint8_t, 192> roots{};
  for (uint32_t i = 0; i < 192; ++i) {
    roots[i] = static_cast<uint8_t>(const_math::FloorSqrt(256 * (i + 64) + 255));
  }
  return roots;
}

// The gain, kGainBits fractional bits, for a noise estimate of kNoiseBits - kCorrectionBits.
constexpr int32_t Gain(uint32_t noise) {
  constexpr int kInputBits = kNoiseBits - kCorrectionBits;
  const float x = static_cast<float>(noise) / (1 << kInputBits) + kGainOffset;
  const float power = static_cast<float>(Exp(-static_cast<double>(kGainStrength) * Log(x)));
  const float gain = static_cast<float>(1 << kGainBits) * power;
  return gain > INT16_MAX ? INT16_MAX : static_cast<int32_t>(Floor(gain + 0.5f));
}

// A segment's parabola equals the gain at its start, middle and end.
constexpr auto MakeGain() {
  std::array<GainSegment, 33> segments{};
  segments[0].start = static_cast<int16_t>(Gain(0));
  segments[1].start = static_cast<int16_t>(Gain(1));
  for (int bits = 2; bits <= 32; ++bits) {
    const uint32_t start = 1u << (bits - 1);
    const int32_t gain = Gain(start);
    const int32_t to_middle = Gain(start + start / 2) - gain;
    const int32_t to_end = Gain(start + (start - 1) + (bits < 32 ? 1 : 0)) - gain;
    segments[bits].start = static_cast<int16_t>(gain);
    segments[bits].slope = static_cast<int16_t>(4 * to_middle - to_end);
    segments[bits].curve = static_cast<int16_t>(2 * to_end - 4 * to_middle);
  }
  return segments;
}

constexpr auto MakeLogCorrection() {
  std::array<uint16_t, 129> correction{};
  for (int i = 0; i <= 128; ++i) {
    const double x = i / 128.0;
    correction[i] = static_cast<uint16_t>(Floor(65536 * (Log(1 + x) / kLn2 - x) + 0.5));
  }
  return correction;
}

}  // namespace

alignas(16) constexpr std::array<uint32_t, kWindowSamples / 4> kWindow = MakeWindow();
constexpr std::array<uint8_t, kUsedComplexSize / 4> kFftPosition = MakeFftPosition();
constexpr std::array<uint32_t, 3 * kComplexSize / 4 + 1> kTwiddles = MakeTwiddles();
constexpr std::array<uint32_t, kSplits> kSplitTwiddles = MakeSplitTwiddles();
constexpr std::array<uint32_t, kSplits / 2> kOddTwiddles = MakeOddTwiddles();
constexpr std::array<uint8_t, kBands> kBandWidths = kFilterBank.widths;
constexpr std::array<uint16_t, kBinsEnd - kFirstBin> kFilterWeights = kFilterBank.weights;
constexpr std::array<uint8_t, 192> kRootStart = MakeRootStart();
constexpr std::array<GainSegment, 33> kGain = MakeGain();
constexpr std::array<uint16_t, 129> kLogCorrection = MakeLogCorrection();

}  // namespace kws::frontend
