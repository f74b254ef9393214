// SPDX-License-Identifier: Apache-2.0
#include "app/status_led.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace kws {
namespace {

constexpr uint32_t kHopMs = 20;

// Records the LED's changes.
class StatusLedTest : public testing::Test {
 protected:
  using Changes = std::vector<std::pair<uint32_t, int>>;

  void SetUp() override {
    time_ms_ = 0;
    lit_ = 0;
    changes_.clear();
  }
  static void SetLed(int label) {
    if (label != lit_) changes_.push_back({time_ms_, label});
    lit_ = label;
  }
  void Wait(uint32_t ms) {
    for (const uint32_t end = time_ms_ + ms; time_ms_ != end;) {
      time_ms_ += kHopMs;
      led_.Tick(time_ms_);
    }
  }

  inline static uint32_t time_ms_;
  inline static int lit_;
  inline static Changes changes_;
  StatusLed led_{SetLed};
};

TEST_F(StatusLedTest, ShowsAWordForAMoment) {
  Wait(5000);
  led_.Show(2, time_ms_);
  Wait(5000);
  EXPECT_EQ(changes_, (Changes{{5000, 2}, {5600, 0}}));
}

TEST_F(StatusLedTest, TheSameWordIsShownAgain) {
  led_.Show(2, time_ms_);
  Wait(1500);
  led_.Show(2, time_ms_);
  Wait(1500);
  EXPECT_EQ(changes_, (Changes{{0, 2}, {600, 0}, {1500, 2}, {2100, 0}}));
}

TEST_F(StatusLedTest, IsDarkBeforeANewWord) {
  led_.Show(2, time_ms_);
  Wait(200);
  led_.Show(2, time_ms_);
  Wait(140);
  led_.Show(3, time_ms_);
  Wait(2000);
  EXPECT_EQ(changes_, (Changes{{0, 2}, {200, 0}, {300, 2}, {340, 0}, {440, 3}, {1040, 0}}));
}

TEST_F(StatusLedTest, ShowsAWordThatIsAlsoTheIdleLabel) {
  led_.Show(2, time_ms_);
  led_.Rest(2);
  Wait(3000);
  EXPECT_EQ(changes_, (Changes{{0, 2}})) << "the wake word's light stays";
  led_.Show(2, time_ms_);
  led_.Rest(0);
  Wait(3000);
  EXPECT_EQ(changes_, (Changes{{0, 2}, {3000, 0}, {3100, 2}, {3700, 0}}));
}

TEST_F(StatusLedTest, IdleLabelChangesAtOnce) {
  led_.Rest(3);
  Wait(1000);
  led_.Rest(0);
  EXPECT_EQ(changes_, (Changes{{0, 3}, {1000, 0}}));
}

TEST_F(StatusLedTest, ResetTurnsItOff) {
  led_.Rest(3);
  led_.Show(2, time_ms_);
  led_.Reset();
  Wait(3000);
  EXPECT_EQ(lit_, 0);
}

TEST_F(StatusLedTest, TheClockMayWrap) {
  time_ms_ = 0u - 300u;
  led_.Show(2, time_ms_);
  Wait(580);
  EXPECT_EQ(lit_, 2);
  Wait(20);
  EXPECT_EQ(lit_, 0);
}

}  // namespace
}  // namespace kws
