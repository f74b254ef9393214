// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/frontend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/frontend/complex16_check.h"
#include "core/frontend/frontend_signals.h"
#include "kws/frontend/channel_steps.h"
#include "kws/frontend/fft/spectrum.h"
#include "kws/frontend/loops/root.h"
#include "kws/frontend/tables.h"

namespace kws::frontend {
namespace {

using test::MakeWindow;
using test::Random;
using test::Signal;
using test::Window;

constexpr double kPi = 3.14159265358979323846;

static_assert(sizeof(Frontend) < 3 * 1024, "the frontend's state has grown");
static_assert(std::is_trivially_destructible<Frontend>::value,
              "globals must not need a destructor");
constexpr Frontend kConstantInitialized;  // a global needs no code before main()

// 64-bit FNV-1a of bytes.
class Hash {
 public:
  void Add(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  void Add16(uint32_t value) {
    Add(static_cast<uint8_t>(value));
    Add(static_cast<uint8_t>(value >> 8));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

// The hashes in the next tests are of the constants in TFLM's audio_preprocessor_int8.tflite.

TEST(FrontendTables, WindowIsTheReferences) {
  Hash hash;
  for (uint32_t pair : kWindow) {
    hash.Add16(pair & 0xFFFF);
    hash.Add16(pair >> 16);
  }
  EXPECT_EQ(hash.value(), 0x6bd3ff7850c419ab);  // the first half of 'Const'
}

TEST(FrontendTables, FilterBankIsTheReferences) {
  Hash hash;
  for (uint32_t weight : kFilterWeights) hash.Add16(weight);
  EXPECT_EQ(hash.value(), 0x24b1603e31814cd7);  // 'signal_filter_bank/Const' without its padding
  const std::array<uint8_t, kBands> widths = {1, 2, 1, 2, 2, 2, 2,  2,  3,  2,  3,  3,  3, 3,
                                              3, 4, 4, 3, 5, 4, 5,  5,  5,  5,  6,  6,  7, 7,
                                              7, 8, 8, 9, 9, 9, 11, 10, 12, 12, 13, 13, 14};
  EXPECT_EQ(kBandWidths, widths);
}

TEST(FrontendTables, GainIsTheReferences) {
  Hash hash;
  for (int bits = 2; bits <= 32; ++bits) {
    hash.Add16(static_cast<uint16_t>(kGain[bits].start));
    hash.Add16(static_cast<uint16_t>(kGain[bits].slope));
    hash.Add16(static_cast<uint16_t>(kGain[bits].curve));
  }
  EXPECT_EQ(hash.value(), 0x612f1f5bc2038fb9);  // 'signal_pcan/Const' without its padding
  EXPECT_EQ(kGain[0].start, 32636);
  EXPECT_EQ(kGain[1].start, 32633);
}

TEST(FrontendTables, TwiddlesAreRoundedCosines) {
  const auto check = [](uint32_t packed, double turn) {
    EXPECT_EQ(static_cast<int16_t>(packed), std::floor(32767 * std::cos(2 * kPi * turn) + 0.5));
    EXPECT_EQ(static_cast<int16_t>(packed >> 16),
              std::floor(32767 * -std::sin(2 * kPi * turn) + 0.5));
  };
  for (int k = 0; k < 64; ++k) {
    for (int i = 0; i < 3; ++i) check(kTwiddles[3 * k + i], (i + 1) * k / 256.0);
  }
  check(kTwiddles[192], 64 / 256.0);
  for (int k = kFirstBin; k <= 128; ++k) {
    check(kSplitTwiddles[k - kFirstBin], k / 512.0 + 0.25);
  }
  for (int i = 0; i < kSplits / 2; ++i) check(kOddTwiddles[i], (kFirstBin + 2 * i) / 512.0);
}

TEST(FrontendTables, LogCorrectionIsTheErrorOfALine) {
  for (int i = 0; i <= 128; ++i) {
    EXPECT_EQ(kLogCorrection[i], std::lround(65536 * (std::log2(1 + i / 128.0) - i / 128.0)));
  }
}

TEST(FrontendComplex, EachFunctionIsItsDefinition) {
  EXPECT_STREQ(test::WrongComplexFunction(20000), nullptr);
}

// The definition: one bit of the root at a time, as in TFLM.
uint32_t SlowRoot(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 24; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= x) root += bit;
  }
  if (x - root * root > root && !(x < (uint64_t{1} << 32) && root == 0xFFFF)) ++root;
  return static_cast<uint32_t>(root);
}

TEST(FrontendChannels, RootIsRounded) {
  for (uint64_t x = 0; x < 70000; ++x) ASSERT_EQ(RoundedSqrt(x), SlowRoot(x)) << x;
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t wide = (static_cast<uint64_t>(random.Next()) << 32 | random.Next()) >> 16;
    const uint64_t x = wide >> random.Next() % 48;
    ASSERT_EQ(RoundedSqrt(x), SlowRoot(x)) << x;
  }
}

TEST(FrontendChannels, RootIsRoundedNearSquaresAndHalves) {
  for (uint64_t root = 1; root < (1 << 24); root += root < 70000 ? 1 : 997) {
    for (uint64_t x = root * root - 2; x <= root * root + 2; ++x) {
      if (x >= uint64_t{1} << 48) continue;
      ASSERT_EQ(RoundedSqrt(x), SlowRoot(x)) << x;
    }
    for (uint64_t x = root * root + root - 1; x <= root * root + root + 2; ++x) {
      ASSERT_EQ(RoundedSqrt(x), SlowRoot(x)) << x;
    }
  }
  EXPECT_EQ(RoundedSqrt((uint64_t{1} << 48) - 1), 1u << 24);
  EXPECT_EQ(RoundedSqrt((uint64_t{1} << 32) - 1), 0xFFFFu);  // the reference's shortcut
  EXPECT_EQ(RoundedSqrt(uint64_t{1} << 32), 0x10000u);
}

TEST(FrontendChannels, NoiseEstimateFollowsTheSignal) {
  constexpr uint32_t kSmoothing = Fraction(kEvenSmoothing);  // 409 / 2^14
  uint32_t noise = 0;
  EXPECT_EQ(SubtractNoise(1000, kSmoothing, &noise), 975u);
  EXPECT_EQ(noise, 1000u * 1024 * 409 / 16384);
  for (int i = 0; i < 1000; ++i) SubtractNoise(1000, kSmoothing, &noise);
  EXPECT_NEAR(noise / 1024.0, 1000, 1);
  // Some of the signal always remains.
  EXPECT_EQ(SubtractNoise(1000, kSmoothing, &noise), 1000u * 819 / 16384);
  EXPECT_EQ(SubtractNoise(0, kSmoothing, &noise), 0u);
}

TEST(FrontendChannels, VeryLoudSignalsWrapAroundInTheNoiseEstimate) {
  uint32_t noise = 0;
  EXPECT_EQ(SubtractNoise((1u << 22) + 3, Fraction(kEvenSmoothing), &noise),
            ((1u << 22) + 3) * uint64_t{819} / 16384);
  EXPECT_EQ(noise, 3u * 1024 * 409 / 16384);
}

TEST(FrontendChannels, GainIsThePowerFunction) {
  EXPECT_EQ(GainFor(0), 32636u);
  EXPECT_EQ(GainFor(1), 32633u);
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t noise = random.Next() >> random.Next() % 32;
    const double exact = std::pow(noise / 128.0 + 80, -0.95) * (1 << 21);
    ASSERT_NEAR(GainFor(noise), exact, 2 + exact * 0.02) << noise;
  }
  EXPECT_LE(GainFor(UINT32_MAX), 1u);  // and never below zero, which would be huge here
}

TEST(FrontendChannels, ShrinkIsSquareThenLine) {
  EXPECT_EQ(Shrink(0), 0u);
  EXPECT_EQ(Shrink(4096), 16u);           // 1 -> 1 / 4
  EXPECT_EQ(Shrink(2 * 4096 - 1), 63u);   // nearly 2 -> nearly 1
  EXPECT_EQ(Shrink(2 * 4096), 64u);       // 2 -> 1
  EXPECT_EQ(Shrink(10 * 4096), 9u * 64);  // 10 -> 9
  EXPECT_EQ(Shrink(UINT32_MAX), (UINT32_MAX >> 6) - 64);
}

TEST(FrontendChannels, CombinedRoundingEqualsSeparateRounding) {
  for (uint32_t log2 = 0; log2 < 32u << 16; ++log2) {
    const auto ln = static_cast<uint32_t>((log2 * uint64_t{45426} + (1 << 15)) >> 16);
    const uint32_t log = (ln * 64 + (1 << 15)) >> 16;
    ASSERT_EQ(NaturalLog(log2), log);
    ASSERT_EQ(Feature<kFeatureDivisor>(log), std::min<int>(255, (log * 256 + 333) / 666) - 128);
    ASSERT_EQ(Feature<kPlainDivisor>(log), std::min<int>(255, (log + 2) / 4) - 128);
  }
}

int8_t LogFeature(uint32_t x) { return Feature<kFeatureDivisor>(ScaledLog(x)); }

TEST(FrontendChannels, LogFeatureIsTheLogarithm) {
  EXPECT_EQ(LogFeature(0), -128);
  int8_t previous = -128;
  for (uint32_t x = 1; x < (1u << 29); x += 1 + x / 50) {
    const double log = 64 * std::log(8.0 * x);
    const double exact = std::min(127.0, log * 256 / 666 - 128);
    ASSERT_NEAR(LogFeature(x), exact, 0.75) << x;
    ASSERT_GE(LogFeature(x), previous) << x;
    previous = LogFeature(x);
  }
  EXPECT_EQ(previous, 127);
  EXPECT_EQ(LogFeature(1u << 29), -128);  // the top bits are lost, in the reference too
}

int Energies(const Window& window, uint32_t* work) {
  return ComputeEnergies(window.data(), window.data() + kWindowSamples - kNewestSamples, work);
}

TEST(FrontendSpectrum, IsTheFourierTransform) {
  Random random(3);
  for (int level = 0; level < 15; level += 2) {
    Window window;
    for (int16_t& sample : window) {
      sample = static_cast<int16_t>(static_cast<int16_t>(random.Next() >> 16) >> level);
    }
    std::array<uint32_t, kComplexSize> work;
    const int scale = Energies(window, work.data());
    for (int k = kFirstBin; k < kBinsEnd; ++k) {
      std::complex<double> sum = 0;
      for (int i = 0; i < kWindowSamples; ++i) {
        const double weight = 0.5 - 0.5 * std::cos(2 * kPi * (i + 0.5) / kWindowSamples);
        sum += std::polar(weight * window[i], -2 * kPi * k * i / kFftSize);
      }
      const double exact = std::abs(sum) / kFftSize * (1 << scale);
      // Each window sample was truncated (scaled: up to 2^scale), each stage rounded.
      ASSERT_NEAR(std::sqrt(work[k]), exact, 4 + 0.1 * (1 << scale)) << "bin " << k;
    }
  }
}

TEST(FrontendSpectrum, ScaleUsesAllBits) {
  std::array<uint32_t, kComplexSize> work;
  for (int bits = 1; bits <= 15; ++bits) {
    Window window{};
    window[240] = static_cast<int16_t>((1 << bits) - 1);  // the window's weight is 1 there
    EXPECT_EQ(Energies(window, work.data()), 15 - bits);
    window[240] = static_cast<int16_t>(-(1 << (bits - 1)));
    EXPECT_EQ(Energies(window, work.data()), 15 - bits);
  }
  Energies(Window{}, work.data());
  for (int k = kFirstBin; k < kBinsEnd; ++k) EXPECT_EQ(work[k], 0u);
}

TEST(FrontendSpectrum, PartsOfTheWindowMayLieAnywhere) {
  Random random(4);
  Window window;
  for (int16_t& sample : window) sample = static_cast<int16_t>(random.Next() >> 16);
  std::array<int16_t, kNewestSamples> newest;
  std::copy(window.end() - kNewestSamples, window.end(), newest.begin());
  std::array<uint32_t, kComplexSize> one_piece;
  std::array<uint32_t, kComplexSize> two_pieces;
  const int scale = Energies(window, one_piece.data());
  std::fill(window.end() - kNewestSamples, window.end(), int16_t{0});
  EXPECT_EQ(ComputeEnergies(window.data(), newest.data(), two_pieces.data()), scale);
  EXPECT_EQ(two_pieces, one_piece);
}

// Hashes of the features that TFLM's audio_preprocessor_int8.tflite computes for these windows.
TEST(Frontend, ExtremeSignalsEqualTheReference) {
  const std::array<uint64_t, test::kSignalCount> expected = {
      0xcef53eb17a37f925, 0xe276cc9b90f1cee5, 0x842bf7bb4562e461,
      0xac53176bf4a98d1b, 0xea66b21407f0a19c, 0x50bb6e19122148e8,
      0xa6c0791f1947937d, 0xa04c4dd6d7260879, 0x8f4041715393f2a0};
  for (int signal = 0; signal < test::kSignalCount; ++signal) {
    Frontend frontend;
    Hash hash;
    for (int frame = 0; frame < test::kSignalFrames; ++frame) {
      const Window window = MakeWindow(static_cast<Signal>(signal), frame);
      std::array<int8_t, Frontend::kChannels> features;
      frontend.ProcessFrame(window.data(), features.data());
      for (int8_t feature : features) hash.Add(static_cast<uint8_t>(feature));
    }
    EXPECT_EQ(hash.value(), expected[static_cast<size_t>(signal)]) << "signal " << signal;
  }
}

TEST(Frontend, ResetClearsTheNoiseEstimate) {
  const Window window = MakeWindow(Signal::kNoise, 1);
  std::array<int8_t, Frontend::kChannels> first;
  std::array<int8_t, Frontend::kChannels> second;
  std::array<int8_t, Frontend::kChannels> third;
  Frontend frontend;
  frontend.ProcessFrame(window.data(), first.data());
  frontend.ProcessFrame(window.data(), second.data());
  frontend.Reset();
  frontend.ProcessFrame(window.data(), third.data());
  EXPECT_NE(first, second);
  EXPECT_EQ(first, third);
}

// A sine of 1 kHz.
Window Tone(double amplitude) {
  Window window;
  for (size_t i = 0; i < window.size(); ++i) {
    window[i] = static_cast<int16_t>(
        std::lround(amplitude * std::sin(2 * kPi * 1000 / kSampleRate * static_cast<double>(i))));
  }
  return window;
}

TEST(FrontendThatKeepsNoise, FeatureIsTheLogarithmOfTheAmplitude) {
  Frontend frontend(true);
  double loudest = 0;
  for (double amplitude = 32767; amplitude > 60; amplitude /= 2) {
    std::array<int8_t, Frontend::kChannels> features;
    frontend.ProcessFrame(Tone(amplitude).data(), features.data());
    const int highest = *std::max_element(features.begin(), features.end());
    if (amplitude == 32767) loudest = highest;
    // Half of the amplitude is 64 ln 2 / 4 less; int16 arithmetic is less exact for faint sound.
    EXPECT_NEAR(highest, loudest + 16 * std::log(amplitude / 32767), 1) << amplitude;
  }
  EXPECT_NEAR(loudest, 117, 1);  // hardly clips: a square wave of full scale has 4 more
}

TEST(FrontendThatKeepsNoise, FeaturesDoNotDependOnEarlierFrames) {
  const Window window = MakeWindow(Signal::kNoise, 1);
  std::array<int8_t, Frontend::kChannels> first;
  std::array<int8_t, Frontend::kChannels> later;
  Frontend frontend(true);
  frontend.ProcessFrame(window.data(), first.data());
  for (int frame = 2; frame < 9; ++frame) {
    frontend.ProcessFrame(MakeWindow(Signal::kFullScale, frame).data(), later.data());
  }
  frontend.ProcessFrame(window.data(), later.data());
  EXPECT_EQ(first, later);
}

TEST(FrontendThatKeepsNoise, HasTheSameNoiseEstimate) {
  Frontend keeping(true);
  Frontend removing;
  for (int frame = 0; frame < test::kSignalFrames; ++frame) {
    const Window window = MakeWindow(Signal::kNoise, frame);
    std::array<int8_t, Frontend::kChannels> features;
    keeping.ProcessFrame(window.data(), features.data());
    removing.ProcessFrame(window.data(), features.data());
    ASSERT_TRUE(std::equal(keeping.noise(), keeping.noise() + kChannels, removing.noise()));
  }
}

TEST(FrontendThatKeepsNoise, SilenceHasNoEnergy) {
  std::array<int8_t, Frontend::kChannels> features;
  Frontend frontend(true);
  frontend.ProcessFrame(MakeWindow(Signal::kZero, 0).data(), features.data());
  EXPECT_EQ(*std::max_element(features.begin(), features.end()), Frontend::kNoEnergy);
}

TEST(Frontend, TakesSamplesAtAnyAddress) {
  const Window window = MakeWindow(Signal::kNoise, 2);
  std::array<int16_t, Frontend::kWindowSamples + 1> shifted{};
  std::memcpy(shifted.data() + 1, window.data(), sizeof(window));
  std::array<int8_t, Frontend::kChannels> aligned_features;
  std::array<int8_t, Frontend::kChannels> shifted_features;
  Frontend a;
  Frontend b;
  a.ProcessFrame(window.data(), aligned_features.data());
  b.ProcessFrame(shifted.data() + 1, shifted_features.data());
  EXPECT_EQ(aligned_features, shifted_features);
}

}  // namespace
}  // namespace kws::frontend
