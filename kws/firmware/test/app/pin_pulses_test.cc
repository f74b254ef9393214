// SPDX-License-Identifier: Apache-2.0
#include "app/pin_pulses.h"

#include <gtest/gtest.h>

#include <map>

#include "boards/board.h"

namespace kws {

// The levels of a board's pins; pins that were not started are missing.
std::map<uint32_t, bool> levels;

namespace board {
void StartPin(uint32_t pin) { levels[pin] = false; }
void SetPin(uint32_t pin, bool high) { levels.at(pin) = high; }
}  // namespace board

namespace {

constexpr LabelPin kPins[] = {{"yes", 43}, {"no", 7}, {"up", 7}, {"yes", 8}};

class PinPulsesTest : public testing::Test {
 protected:
  PinPulsesTest() {
    levels.clear();
    pulses_.Start();
  }
  std::map<uint32_t, bool> At(uint32_t now_ms) {
    pulses_.Tick(now_ms);
    return levels;
  }
  using Levels = std::map<uint32_t, bool>;

  PinPulses pulses_{kPins, 4};
};

TEST_F(PinPulsesTest, PinsStartLow) {
  EXPECT_EQ(levels, (Levels{{7, false}, {8, false}, {43, false}}));
}

TEST_F(PinPulsesTest, AWordsPinsAreHighFor200Ms) {
  pulses_.Hear("yes", 1000);
  EXPECT_EQ(At(1000), (Levels{{7, false}, {8, true}, {43, true}}));
  EXPECT_EQ(At(1199), (Levels{{7, false}, {8, true}, {43, true}}));
  EXPECT_EQ(At(1200), (Levels{{7, false}, {8, false}, {43, false}}));
}

TEST_F(PinPulsesTest, OtherWordsSetNoPin) {
  pulses_.Hear("maybe", 1000);
  pulses_.Hear("ye", 1000);
  EXPECT_EQ(levels, (Levels{{7, false}, {8, false}, {43, false}}));
}

TEST_F(PinPulsesTest, RepeatedWordExtendsThePulse) {
  pulses_.Hear("no", 1000);
  At(1150);
  pulses_.Hear("no", 1150);
  EXPECT_TRUE(At(1349)[7]);
  EXPECT_FALSE(At(1350)[7]);
}

TEST_F(PinPulsesTest, SharedPinIsHighUntilTheLastPulseEnds) {
  pulses_.Hear("no", 1000);
  pulses_.Hear("up", 1100);
  EXPECT_TRUE(At(1250)[7]);
  EXPECT_FALSE(At(1300)[7]);
}

TEST_F(PinPulsesTest, TheClockMayWrap) {
  pulses_.Hear("no", 0u - 100u);
  EXPECT_TRUE(At(99)[7]);
  EXPECT_FALSE(At(100)[7]);
}

}  // namespace
}  // namespace kws
