// SPDX-License-Identifier: Apache-2.0
// Prints the core's constant tables as C++: `core_tables frontend` prints
// kws/frontend/table_values.inc, `core_tables sigmoid` and `core_tables softmax16` the files of
// these names in kws/runtime/kernels/shared/. The core has the values instead of this program,
// because it is C++11, whose constant expressions have no loops. See tools/core_tables.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "kws/frontend/tables.h"

namespace {

using namespace kws::frontend;

constexpr double kPi = 3.14159265358979323846;

// cos(2 pi numerator / denominator), 0 <= numerator. The fraction is reduced to the first eighth of
// a turn, so that symmetric angles yield exactly symmetric values.
double CosOfTurn(int64_t numerator, int64_t denominator) {
  const int64_t n = 8 * (numerator % denominator);  // in eighths of 1 / denominator
  const int64_t d = denominator;
  if (n > 4 * d) return CosOfTurn(8 * d - n, 8 * d);   // cos(-a) = cos(a)
  if (n > 2 * d) return -CosOfTurn(4 * d - n, 8 * d);  // cos(pi - a) = -cos(a)
  const double eighth = 2 * kPi / (8.0 * static_cast<double>(d));
  return n > d ? std::sin(static_cast<double>(2 * d - n) * eighth)
               : std::cos(static_cast<double>(n) * eighth);
}

template <typename Array>
void Print(const char* declaration, const Array& values) {
  std::printf("%s = {{", declaration);
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf("%s%ju%s,", i % 12 == 0 ? "\n    " : " ", static_cast<uintmax_t>(values[i]),
                values[i] > INT32_MAX ? "u" : "");
  }
  std::printf("\n}};\n");
}

void PrintWindow() {
  std::array<uint32_t, kWindowSamples / 4> window{};
  for (int i = 0; i < kWindowSamples / 2; ++i) {
    const double hann = 0.5 - 0.5 * CosOfTurn(2 * i + 1, 2 * kWindowSamples);
    const auto weight = static_cast<uint32_t>(std::floor(hann * (1 << kWindowBits) + 0.5));
    window[i / 2] |= weight << (i % 2 == 0 ? 0 : 16);
  }
  Print("alignas(16) const std::array<uint32_t, kWindowSamples / 4> kWindow", window);
}

void PrintFftPosition() {
  constexpr int kDigitCount = 4;  // 256 = 4^4
  std::array<uint8_t, kUsedComplexSize / 4> position{};
  for (int n = 0; n < kUsedComplexSize; n += 4) {
    int reversed = 0;
    for (int digit = 0; digit < kDigitCount; ++digit) {
      reversed = 4 * reversed + ((n >> (2 * digit)) & 3);
    }
    position[n / 4] = static_cast<uint8_t>(reversed);
  }
  Print("const std::array<uint8_t, kUsedComplexSize / 4> kFftPosition", position);
}

// exp(-2 pi j numerator / denominator), packed, 15 fractional bits: 1 is 32767.
uint32_t Twiddle(int numerator, int denominator) {
  const double re = 32767 * CosOfTurn(numerator, denominator);
  const double im = 32767 * CosOfTurn(4 * numerator + denominator, 4 * denominator);
  const auto re_bits = static_cast<uint16_t>(static_cast<int32_t>(std::floor(re + 0.5)));
  const auto im_bits = static_cast<uint16_t>(static_cast<int32_t>(std::floor(im + 0.5)));
  return re_bits | static_cast<uint32_t>(im_bits) << 16;
}

void PrintTwiddles() {
  std::array<uint32_t, 3 * kComplexSize / 4 + 1> twiddles{};
  for (int k = 0; k < kComplexSize / 4; ++k) {
    for (int i = 0; i < 3; ++i) twiddles[3 * k + i] = Twiddle((i + 1) * k, kComplexSize);
  }
  twiddles.back() = Twiddle(kComplexSize / 4, kComplexSize);
  Print("const std::array<uint32_t, 3 * kComplexSize / 4 + 1> kTwiddles", twiddles);

  std::array<uint32_t, kSplits> splits{};
  for (int i = 0; i < kSplits; ++i) {
    splits[i] = Twiddle(kFirstBin + i + kFftSize / 4, kFftSize);  // -j is a quarter of a turn
  }
  Print("const std::array<uint32_t, kSplits> kSplitTwiddles", splits);

  std::array<uint32_t, kSplits / 2> odd{};
  for (int i = 0; i < kSplits / 2; ++i) odd[i] = Twiddle(kFirstBin + 2 * i, kFftSize);
  Print("const std::array<uint32_t, kSplits / 2> kOddTwiddles", odd);
}

float Mel(float hz) {
  return 1127.0f * static_cast<float>(std::log(1.0 + static_cast<double>(hz / 700.0f)));
}

// In double, as in TFLM's library for Arduino.
float PreciseMel(float hz) {
  return static_cast<float>(1127.0 * std::log1p(static_cast<double>(hz) / 700.0));
}

using Weights = std::array<uint16_t, kBinsEnd - kFirstBin>;

// The root of a channel is computed for sums below 2^48: a bin's energy is at most 2^31.
bool ChannelSumsFit(const std::array<uint8_t, kBands>& widths, const Weights& weights,
                    uint32_t one) {
  size_t bin = 0;
  uint64_t rising = 0;
  for (const uint8_t width : widths) {
    uint64_t falling = 0;
    uint64_t next_rising = 0;
    for (int i = 0; i < width; ++i, ++bin) {
      falling += weights[bin];
      next_rising += one - weights[bin];
    }
    if (rising + falling >= (uint64_t{1} << (48 - 31))) return false;
    rising = next_rising;
  }
  return true;
}

// Falling weights, 1 is 2^kFilterBits; `widths` gets the number of bins in each band. Returns one
// past the last bin with a weight. The rest is computed in float, as in the reference.
int FilterBank(float (*mel)(float), double rounding, Weights* weights,
               std::array<uint8_t, kBands>* widths) {
  widths->fill(0);
  const float mel_low = mel(kLowestHz);
  const float mel_step = (mel(kHighestHz) - mel_low) / kBands;
  int bin = kFirstBin;
  for (int band = 0; band < kBands; ++band) {
    const float end = mel_low + mel_step * static_cast<float>(band + 1);
    const float start = band == 0 ? mel_low : mel_low + mel_step * static_cast<float>(band);
    for (; bin < kBinsEnd && mel(static_cast<float>(bin) * kHzPerBin) <= end; ++bin) {
      const float weight = (end - mel(static_cast<float>(bin) * kHzPerBin)) / (end - start);
      const double scaled = static_cast<double>(weight * (1 << kFilterBits));
      (*weights)[bin - kFirstBin] = static_cast<uint16_t>(scaled + rounding);
      ++(*widths)[band];
    }
  }
  return bin;
}

// Returns whether the parameters suit the filter bank.
bool PrintFilterBank() {
  Weights truncated{};
  Weights rounded{};
  std::array<uint8_t, kBands> widths;
  std::array<uint8_t, kBands> rounded_widths;
  const int end = FilterBank(Mel, 0.0, &truncated, &widths);
  FilterBank(PreciseMel, 0.5, &rounded, &rounded_widths);
  Print("const std::array<uint8_t, kBands> kBandWidths", widths);
  Print("const std::array<uint16_t, kBinsEnd - kFirstBin> kFilterWeights", truncated);
  Print("const std::array<uint16_t, kBinsEnd - kFirstBin> kRoundedWeights", rounded);
  if (end != kBinsEnd || widths != rounded_widths) {
    std::fprintf(stderr, "choose a kHighestHz between two bins\n");
  } else if (!ChannelSumsFit(widths, truncated, kFilterOne) ||
             !ChannelSumsFit(widths, rounded, kRoundedOne)) {
    std::fprintf(stderr, "a channel's sum may need more than 48 bits\n");
  } else {
    return true;
  }
  return false;
}

void PrintRootStart() {
  std::array<uint8_t, 192> roots{};
  for (uint32_t i = 0; i < 192; ++i) {
    uint32_t root = 0;
    while ((root + 1) * (root + 1) <= 256 * (i + 64) + 255) ++root;
    roots[i] = static_cast<uint8_t>(root);
  }
  Print("const std::array<uint8_t, 192> kRootStart", roots);
}

// The gain, kGainBits fractional bits, for a noise estimate of kNoiseBits - kCorrectionBits.
int32_t Gain(uint32_t noise) {
  constexpr int kInputBits = kNoiseBits - kCorrectionBits;
  const float x = static_cast<float>(noise) / (1 << kInputBits) + kGainOffset;
  const float power = static_cast<float>(
      std::exp(-static_cast<double>(kGainStrength) * std::log(static_cast<double>(x))));
  const float gain = static_cast<float>(1 << kGainBits) * power;
  return gain > INT16_MAX ? INT16_MAX
                          : static_cast<int32_t>(std::floor(static_cast<double>(gain + 0.5f)));
}

// A segment's parabola equals the gain at its start, middle and end.
void PrintGain() {
  std::printf("const std::array<GainSegment, 33> kGain = {{\n");
  std::printf("    {%d, 0, 0},\n    {%d, 0, 0},\n", Gain(0), Gain(1));
  for (int bits = 2; bits <= 32; ++bits) {
    const uint32_t start = 1u << (bits - 1);
    const int32_t gain = Gain(start);
    const int32_t to_middle = Gain(start + start / 2) - gain;
    const int32_t to_end = Gain(start + (start - 1) + (bits < 32 ? 1 : 0)) - gain;
    std::printf("    {%d, %d, %d},\n", gain, static_cast<int16_t>(4 * to_middle - to_end),
                static_cast<int16_t>(2 * to_end - 4 * to_middle));
  }
  std::printf("}};\n");
}

void PrintLogCorrection() {
  std::array<uint16_t, 129> correction{};
  for (int i = 0; i <= 128; ++i) {
    const double x = i / 128.0;
    correction[i] = static_cast<uint16_t>(std::floor(65536 * (std::log2(1 + x) - x) + 0.5));
  }
  Print("const std::array<uint16_t, 129> kLogCorrection", correction);
}

// TFLM's table. Point i is the logistic function of i / 24 as Q0.16, plus half the largest error of
// linear interpolation, so that positive and negative errors balance. The last point is 1.
void PrintSigmoid() {
  constexpr int kPointsPerUnit = 24;
  std::array<uint16_t, 256> points{};
  for (int i = 0; i < 255; ++i) {
    const double value = 1.0 / (1.0 + std::exp(-i / static_cast<double>(kPointsPerUnit)));
    const double second_derivative = value * (1.0 - value) * (1.0 - 2.0 * value);
    const double rise = -second_derivative / (16.0 * kPointsPerUnit * kPointsPerUnit);
    points[i] = static_cast<uint16_t>((static_cast<int32_t>(131072.0 * (value + rise)) + 1) / 2);
  }
  points[255] = 65535;
  Print("const std::array<uint16_t, kPoints> kTable", points);
}

// TFLM's table of a function for int16 softmax: 512 steps from `low` to `high`, as Q0.15. A point
// is moved by half the error of linear interpolation in the middle of its step. In float, as in
// TFLM.
void PrintFunction(const char* name, float low, float high, float (*function)(float)) {
  constexpr float kScale = 65536.0f / (2.0f / 65535 * 32767 - 2.0f / 65535 * -32768);
  constexpr int kSteps = 512;
  const float step = (high - low) / kSteps;
  const auto scaled = [=](float x) { return function(x) * kScale; };
  const auto saturated = [](float x) {
    return static_cast<int16_t>(std::min(std::max(x, -32768.0f), 32767.0f));
  };
  std::array<int16_t, kSteps + 1> points{};
  for (int i = 0; i < kSteps; ++i) {
    const float point = std::round(scaled(low + i * step));
    const float middle = std::round((scaled(low + (i + 1) * step) + point) / 2);
    const float error = middle - std::round(scaled(low + i * step + step / 2));
    points[i] = saturated(point - std::round(error / 2));
  }
  points[kSteps] = saturated(std::round(scaled(high)));
  Print(name, points);
}

void PrintSoftmax16() {
  constexpr float kExponentStep = 10.0f / 65535;
  constexpr float kFractionStep = 1.0f / 65535;
  PrintFunction("const std::array<int16_t, 513> kExponentials", kExponentStep * -65535,
                kExponentStep * 0, [](float x) { return std::exp(x); });
  PrintFunction("const std::array<int16_t, 513> kReciprocals", kFractionStep * 0,
                kFractionStep * 65535, [](float x) { return 1.0f / (1.0f + x); });
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("// Generated by `make tables` from tools/core_tables.cc; do not edit.\n");
  if (argc == 2 && std::strcmp(argv[1], "sigmoid") == 0) {
    PrintSigmoid();
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "softmax16") == 0) {
    PrintSoftmax16();
    return 0;
  }
  if (argc != 2 || std::strcmp(argv[1], "frontend") != 0) return 2;
  PrintWindow();
  PrintFftPosition();
  PrintTwiddles();
  const bool suits = PrintFilterBank();
  PrintRootStart();
  PrintGain();
  PrintLogCorrection();
  return suits ? 0 : 1;
}
