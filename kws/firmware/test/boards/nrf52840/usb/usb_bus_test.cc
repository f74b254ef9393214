// SPDX-License-Identifier: Apache-2.0
// The port on its cable: power, start, DMA that hangs.
#include "boards/nrf52840/usb/usb_fixture.h"

namespace kws {
namespace board {
namespace {

TEST_F(UsbTest, WaitsForTheCable) {
  UsbInit();
  Settle();
  EXPECT_FALSE(model->attached());
  model->Plug();
  Settle();
  EXPECT_TRUE(model->attached());
}

TEST_F(UsbTest, StartsWithTheCablePluggedInBefore) {
  model->Plug();
  model->Wait();
  UsbInit();
  Settle();
  EXPECT_TRUE(model->attached());
}

TEST_F(UsbTest, StartsIfTheSupplyIsLate) {
  UsbInit();
  model->start_accesses = 100000;
  model->Plug();
  model->start_accesses = 10;
  for (int i = 0; i < 20; ++i) {
    Run();
    model->Wait();
    EXPECT_FALSE(model->attached());
  }
  for (int i = 0; i < 200; ++i) model->Wait();
  Run();
  EXPECT_TRUE(model->attached());
}

TEST_F(UsbTest, ReadyOfAnEarlierConnectionIsIgnored) {
  UsbInit();
  model->Plug();
  Run();
  for (int i = 0; i < 3; ++i) model->Wait();  // READY, not yet handled
  model->Unplug();
  model->Plug();
  Settle();  // the model fails accesses that come too early
  EXPECT_TRUE(model->attached());
}

TEST_F(UsbTest, OtherEventsBeforeReadyCauseNoInterruptStorm) {
  UsbInit();
  model->start_accesses = 100000;
  model->Plug();
  Run();
  model->OtherCause();
  Run();
  EXPECT_FALSE(model->attached());
}

TEST_F(UsbTest, InterruptsAreBelowTheMicrophones) {
  UsbInit();
  EXPECT_EQ(model->priority(39), 0xe0);
  EXPECT_EQ(model->priority(0), 0xe0);
}

TEST_F(UsbTest, SurvivesTheCable) {
  for (int i = 0; i < 3; ++i) {
    if (i == 0) {
      PlugIn();
    } else {
      model->Plug();
      Settle();
    }
    Enumerate();
    Open();
    Write("Heard yes (201) @4056ms\n");
    Steps(50);
    EXPECT_NE(host->Text().find("Heard yes (201) @4056ms\n"), std::string::npos);
    host->read.clear();
    model->Unplug();
    Settle();
    EXPECT_FALSE(model->attached());
    Write("nobody hears this\n");
  }
}

TEST_F(UsbTest, SurvivesAShortDisconnection) {
  Start();
  model->Unplug();
  model->Plug();
  Settle();
  Enumerate();
  Open();
  Write("back\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "back\n");
}

TEST_F(UsbTest, RestartsIfDmaHangs) {
  Start();
  model->dma_hangs = true;
  Write("lost\n");
  model->dma_hangs = false;
  Settle();
  ASSERT_TRUE(model->attached());
  Enumerate();
  Open();
  Write("back\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "back\n");
}

TEST_F(UsbTest, NoAccessFollowsAHangingDma) {
  Start();
  masked = true;
  UsbWrite("waits\n", 6);
  host->reading = false;
  host->StartControl(0x80, 6, 0x0100, 0, 18);
  host->Step();
  while (model->control_idle()) host->Step();
  model->dma_hangs = true;
  UsbService();  // the model fails on a second DMA or a task during the first
  masked = false;
  Run();
  model->dma_hangs = false;
  Settle();
  ASSERT_TRUE(model->attached());
  Enumerate();
}

TEST_F(UsbTest, DetectsTheCableWithoutInterrupts) {
  Start();
  masked = true;
  model->Unplug();
  model->Plug();
  for (int i = 0; i < 5; ++i) {
    UsbService();
    model->Wait();
  }
  UsbService();
  EXPECT_TRUE(model->attached());
}

}  // namespace
}  // namespace board
}  // namespace kws
