// SPDX-License-Identifier: Apache-2.0
// The 1200 bps touch, which requests the bootloader.
#include "boards/nrf52840/usb/usb_fixture.h"

namespace kws {
namespace board {
namespace {

TEST_F(UsbTest, TheTouchResetsIntoTheBootloader) {
  Start();
  ASSERT_TRUE(SetLine(1200));
  Frames(100);
  EXPECT_FALSE(model->chip_reset);  // the port is still open
  ASSERT_TRUE(SetDtr(false));       // the request is answered
  Frames(kTouchFrames - 2);
  EXPECT_FALSE(model->chip_reset);
  Frames(2);
  EXPECT_TRUE(model->chip_reset);
  EXPECT_EQ(model->retained, 0xb0u);
}

TEST_F(UsbTest, TouchWorksInEitherOrder) {
  PlugIn();
  Enumerate();
  ASSERT_TRUE(SetDtr(false));
  ASSERT_TRUE(SetLine(1200));
  Frames(kTouchFrames);
  EXPECT_TRUE(model->chip_reset);
}

TEST_F(UsbTest, OtherRatesDoNotReset) {
  Start();
  for (uint32_t rate : {0u, 1199u, 1201u, 9600u, 115200u, 1200u + (1u << 16), 1200u + (1u << 24)}) {
    ASSERT_TRUE(SetLine(rate));
    ASSERT_TRUE(SetDtr(false));
    Frames(200);
    ASSERT_TRUE(SetDtr(true));
  }
  EXPECT_FALSE(model->chip_reset);
}

TEST_F(UsbTest, TouchCanBeCancelled) {
  Start();
  ASSERT_TRUE(SetLine(1200));
  ASSERT_TRUE(SetDtr(false));
  Frames(kTouchFrames - 2);
  ASSERT_TRUE(SetDtr(true));
  Frames(100);
  ASSERT_TRUE(SetDtr(false));
  Frames(kTouchFrames - 2);
  ASSERT_TRUE(SetLine(9600));
  Frames(100);
  ASSERT_TRUE(SetLine(1200));
  Frames(kTouchFrames - 2);
  Enumerate();
  Frames(100);
  EXPECT_FALSE(model->chip_reset);
}

}  // namespace
}  // namespace board
}  // namespace kws
