// SPDX-License-Identifier: Apache-2.0
#include "kws/gate/gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace kws {
namespace {

constexpr int kSecond = 49;  // frames

// A gate with a simulated frontend: sound with the same level in all channels.
class Room {
 public:
  explicit Room(int rise = 15) : gate(rise) {}

  // Processes `frames` frames of a level in dB. Returns the number of frames after which the last
  // 49 were quiet.
  int Hear(double decibels, int frames) {
    int quiet = 0;
    for (int i = 0; i < frames; ++i) {
      const double signal = 1024 * std::pow(10.0, decibels / 20);
      for (int channel = 0; channel < Frontend::kChannels; ++channel) {
        const double share = channel % 2 == 0 ? 0.025 : 0.06;
        const double heard = signal * (0.8 + 0.4 * random_() / random_.max());
        mean_[channel] += share * (heard - mean_[channel]);
        noise_[channel] = static_cast<uint32_t>(mean_[channel]);
      }
      gate.Process(noise_);
      quiet += gate.IsQuiet(kSecond);
    }
    return quiet;
  }

  Gate gate;

 private:
  std::mt19937 random_{1};
  double mean_[Frontend::kChannels] = {};
  uint32_t noise_[Frontend::kChannels] = {};
};

TEST(GateTest, ConstantNoiseIsQuietAfterSettling) {
  for (const double level : {0.0, 30.0, 60.0, 90.0}) {
    Room room;
    EXPECT_EQ(room.Hear(level, Gate::kSettlingFrames + kSecond - 1), 0) << level;
    EXPECT_EQ(room.Hear(level, 5000), 5000) << level;
  }
}

TEST(GateTest, SoundOpensTheGateForASecond) {
  Room room;
  room.Hear(40, 1000);
  ASSERT_TRUE(room.gate.IsQuiet(kSecond));
  room.Hear(60, 3);
  EXPECT_FALSE(room.gate.IsQuiet(1)) << "the average rises faster than the threshold";
  room.Hear(60, 17);
  EXPECT_EQ(room.Hear(40, kSecond - 1), 0) << "it stays in the spectrogram that long";
  EXPECT_GT(room.Hear(40, 30), 10) << "the averages still fall, but that is no sound";
}

TEST(GateTest, RiseIsTheThreshold) {
  Room deaf(60);
  Room keen(10);
  for (Room* room : {&deaf, &keen}) {
    room->Hear(40, 1000);
    room->Hear(43, 25);
  }
  EXPECT_TRUE(deaf.gate.IsQuiet(kSecond));
  EXPECT_FALSE(keen.gate.IsQuiet(kSecond));
}

TEST(GateTest, AdaptsToTheNoiseLevel) {
  Room room;
  room.Hear(30, 1000);
  room.Hear(50, 2 * Gate::kBlockFrames);
  EXPECT_EQ(room.Hear(50, 500), 500) << "a fan was switched on 6 s ago";
  room.Hear(30, 300);
  EXPECT_TRUE(room.gate.IsQuiet(kSecond)) << "and off";
  room.Hear(34, 25);
  EXPECT_FALSE(room.gate.IsQuiet(kSecond)) << "quiet next to the fan, loud without it";
}

TEST(GateTest, ClosesAfterASlowRise) {
  Room room;
  room.Hear(30, 1000);
  for (int i = 0; i < 1000; ++i) room.Hear(30 + 0.02 * i, 1);  // 1 dB per second
  EXPECT_EQ(room.Hear(50, 2 * Gate::kBlockFrames + 400) > 300, true);
}

TEST(GateTest, TakesAnyEstimate) {
  Gate gate(255);
  uint32_t noise[Frontend::kChannels] = {};
  for (const uint32_t value : {0u, 1u, UINT32_MAX, 1u << 31, UINT32_MAX - 16 * 1024}) {
    for (uint32_t& channel : noise) channel = value;
    for (int i = 0; i < 1000; ++i) gate.Process(noise);
    EXPECT_TRUE(gate.IsQuiet(kSecond)) << value;
  }
  gate.Reset();
  EXPECT_FALSE(gate.IsQuiet(1));
}

}  // namespace
}  // namespace kws
