// SPDX-License-Identifier: Apache-2.0
// Text in both directions, and its readers.
#include "boards/nrf52840/usb/usb_fixture.h"

namespace kws {
namespace board {
namespace {

TEST_F(UsbTest, FirstReaderGetsTheBootLine) {
  UsbInit();
  UsbWrite("kws 0.1.0 nano33ble\n", 20);
  model->Plug();
  Settle();
  Enumerate();
  host->reading = true;
  Steps(50);
  EXPECT_EQ(host->Text(), "");
  Open();
  Steps(50);
  EXPECT_EQ(host->Text(), "kws 0.1.0 nano33ble\n");
}

TEST_F(UsbTest, ShortOpenDoesNotConsumeTheBootLine) {
  PlugIn();
  Enumerate();
  Write("boot\n");
  ASSERT_TRUE(SetDtr(true));
  Frames(kQuietFrames / 2);
  ASSERT_TRUE(SetDtr(false));
  BusReset();
  SetAddress();
  ASSERT_TRUE(Configure());
  Open();
  Steps(50);
  EXPECT_EQ(host->Text(), "boot\n");
}

TEST_F(UsbTest, WaitsForTheTerminalsEchoToBeOff) {
  PlugIn();
  Enumerate();
  Write("boot\n");
  host->reading = true;
  ASSERT_TRUE(SetDtr(true));
  Frames(kQuietFrames - 1);
  Steps(100);
  EXPECT_EQ(host->Text(), "");
  Frames(1);
  Steps(100);
  EXPECT_EQ(host->Text(), "boot\n");
}

TEST_F(UsbTest, WithoutAReaderNothingIsKept) {
  Start();
  ASSERT_TRUE(SetDtr(false));
  Write("before\n");
  Open();
  Write("after\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "after\n");
  EXPECT_EQ(UsbLostLines(), 0u);
}

TEST_F(UsbTest, RtsWithoutDtrIsNotAReader) {
  Start();
  ASSERT_EQ(Control(0x21, 0x22, 2, 0, 0), Result::kDone);
  Frames(kQuietFrames);
  Write("nobody\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "");
}

TEST_F(UsbTest, LinesAreDroppedWhole) {
  Start();
  ASSERT_TRUE(SetDtr(false));
  Write("first ");
  Open();
  Write("half\nsecond\n");
  ASSERT_TRUE(SetDtr(false));
  Steps(50);
  Open();
  Write("third ");
  ASSERT_TRUE(SetDtr(false));
  Write("half\n");
  Open();
  Write("fourth\n");
  Steps(100);
  // When the terminal closes, a packet may remain, but never an incomplete line that runs into the
  // next.
  EXPECT_EQ(host->Text(), "second\nfourth\n");
}

TEST_F(UsbTest, PartialLineEndsBeforeTheNextReadersText) {
  Start();
  host->reading = false;
  Write(Line(1, 150));
  Steps(10);
  ASSERT_TRUE(SetDtr(false));
  Open();
  Write("whole\n");
  Steps(200);
  EXPECT_EQ(host->Text(), Line(1, 150).substr(0, 64) + "\nwhole\n");
}

TEST_F(UsbTest, HostThatStopsReadingLosesWholeLines) {
  Start();
  host->reading = false;
  uint32_t number = 0;
  std::string expected;
  for (; number < 100; ++number) {
    if (UsbLostLines() == 0) expected += Line(number, 37);
    Write(Line(number, 20));
    Write(Line(number, 37));
    if (UsbLostLines() != 0) break;
  }
  const uint64_t before = model->accesses;
  for (int i = 0; i < 1000; ++i) Write("Heard yes (201) @4056ms\n");
  EXPECT_LT(model->accesses - before, 1000u * 100u) << "writing waits for the host";
  const uint32_t lost = UsbLostLines();
  EXPECT_GE(lost, 980u);
  host->reading = true;
  Steps(500);
  Write("end\n");
  Steps(100);
  const std::string text = host->Text();
  EXPECT_EQ(text.substr(text.size() - 5), "\nend\n");
  size_t heard = 0;
  for (size_t at = 0; (at = text.find("Heard", at)) != std::string::npos; ++at) {
    EXPECT_EQ(text.substr(at, 24), "Heard yes (201) @4056ms\n");
    ++heard;
  }
  EXPECT_LE(heard, 1000 - (lost - 1));
}

TEST_F(UsbTest, ALineLongerThanTheQueueIsDropped) {
  Start();
  Write(Line(1, kQueueBytes + 1));
  Write(Line(2, kQueueBytes - 300));
  Steps(100);
  EXPECT_EQ(host->Text(), Line(2, kQueueBytes - 300));
  EXPECT_EQ(UsbLostLines(), 1u);
}

TEST_F(UsbTest, AnEmptyPacketFollowsAFullOne) {
  Start();
  for (size_t size : {63, 64, 65, 127, 128, 129, 256}) {
    const int before = host->short_packets;
    host->read.clear();
    Write(Line(1, size));
    Steps(200);
    EXPECT_EQ(host->Text(), Line(1, size));
    EXPECT_GT(host->short_packets, before) << "the host does not know that the text ended";
  }
}

TEST_F(UsbTest, SuspendDropsLinesUntilResume) {
  Start();
  model->Suspend();
  Settle();
  Write("asleep\n");
  model->Resume();
  Settle();
  Frames(kQuietFrames);
  Write("awake\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "awake\n");
}

TEST_F(UsbTest, TrafficEndsASuspendHiddenByAReset) {
  PlugIn();
  model->Suspend();  // both are pending at the interrupt
  model->BusReset();
  host->set_address(0);
  host->ResetToggles();
  Settle();
  SetAddress();
  ASSERT_TRUE(Configure());
  Open();
  Write("awake\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "awake\n");
}

// --- Commands ---

TEST_F(UsbTest, ReadsWhatTheHostSends) {
  Start();
  const std::string text = "gain 6\nstats\n";
  host->to_write.assign(text.begin(), text.end());
  std::string got;
  for (int i = 0; i < 200; ++i) {
    Steps(1);
    got += Read();
  }
  EXPECT_EQ(got, text);
}

TEST_F(UsbTest, HoldsOffTheHostUntilBytesAreRead) {
  Start();
  std::string text;
  for (uint32_t i = 0; i < 20; ++i) text += Line(i, 40);
  host->to_write.assign(text.begin(), text.end());
  Steps(1000);
  EXPECT_GT(host->to_write.size(), text.size() - 2 * 64 - 1);
  std::string got;
  char one;
  for (int i = 0; i < 20000; ++i) {
    Steps(1);
    if (UsbRead(&one, 1) > 0) got += one;
    Run();
  }
  EXPECT_EQ(got, text);
}

TEST_F(UsbTest, BusResetDropsTheWaitingPacket) {
  Start();
  host->to_write = Bytes(200, 'x');
  Steps(300);
  BusReset();
  EXPECT_NE(Read(), "");
  EXPECT_EQ(Read(), "");
}

TEST_F(UsbTest, HaltsAndContinues) {
  Start();
  ASSERT_EQ(Control(0x02, 3, 0, 0x82, 0), Result::kDone);
  ASSERT_EQ(Control(0x02, 3, 0, 0x02, 0), Result::kDone);
  Write("waits\n");
  host->to_write = {'h', 'i', '\n'};
  Steps(50);
  EXPECT_TRUE(host->bulk_stalled);
  EXPECT_EQ(host->Text(), "");
  EXPECT_EQ(Read(), "");
  ASSERT_EQ(Control(0x02, 1, 0, 0x82, 0), Result::kDone);
  ASSERT_EQ(Control(0x02, 1, 0, 0x02, 0), Result::kDone);
  host->ResetToggles();
  Steps(50);
  EXPECT_EQ(host->Text(), "waits\n");
  EXPECT_EQ(Read(), "hi\n");
}

TEST_F(UsbTest, ClearingAHaltKeepsTheWaitingPacket) {
  Start();
  std::string text;
  for (uint32_t i = 0; i < 6; ++i) text += Line(i, 40);
  host->to_write.assign(text.begin(), text.end());
  Steps(300);  // no reader: one packet is in the buffer, one in the endpoint
  const size_t left = host->to_write.size();
  ASSERT_GT(left, 0u);
  Bytes held;
  host->to_write.swap(held);
  ASSERT_EQ(Control(0x02, 1, 0, 0x02, 0), Result::kDone);
  host->to_write.swap(held);
  host->ResetOutToggle();
  std::string got;
  for (int i = 0; i < 500; ++i) {
    got += Read();
    Steps(1);
  }
  EXPECT_EQ(got, text);
}

TEST_F(UsbTest, ClearingAHaltLosesNothing) {
  Start();
  std::string sent, got;
  for (uint32_t i = 0; i < 50; ++i) {
    sent += Line(i, 30);
    Write(Line(i, 30));
    Steps(static_cast<int>(i % 7));
    Bytes held;
    const uint16_t endpoint = i % 2 == 0 ? 0x82 : 0x02;
    const std::string text = Line(i, 20);
    host->to_write.insert(host->to_write.end(), text.begin(), text.end());
    got += Read();
    host->reading = false;
    host->to_write.swap(held);
    ASSERT_EQ(Control(0x02, 1, 0, endpoint, 0), Result::kDone);
    host->to_write.swap(held);
    host->reading = true;
    endpoint == 0x82 ? host->ResetInToggle() : host->ResetOutToggle();
    for (int k = 0; k < 100; ++k) {
      Steps(1);
      got += Read();
    }
  }
  EXPECT_EQ(host->Text(), sent);
  std::string expected;
  for (uint32_t i = 0; i < 50; ++i) expected += Line(i, 20);
  EXPECT_EQ(got, expected);
}

TEST_F(UsbTest, SendsWithoutInterrupts) {
  Start();
  masked = true;
  const std::string text = "error: processor fault, status 0x1\n";
  UsbWrite(text.data(), text.size());
  for (int i = 0; i < 100; ++i) {
    UsbService();
    host->Step();
  }
  EXPECT_EQ(host->Text(), text);
}

}  // namespace
}  // namespace board
}  // namespace kws
