// SPDX-License-Identifier: Apache-2.0
// Data streams, resets, unplugging and suspend at any register access of the driver.
#include "boards/nrf52840/usb/usb_fixture.h"

namespace kws {
namespace board {
namespace {

// Traffic in both directions, with steps of the bus between the driver's accesses.
class UsbRandomTest : public UsbTest, public testing::WithParamInterface<uint32_t> {
 protected:
  UsbRandomTest() : UsbTest(GetParam() * 7919 + 1) {}

  void Interleave() {
    model->dma_accesses = static_cast<int>(host->Random(8));
    model->on_access = [this] {
      if (host->Random(4) == 0) host->Step();
      if (host->Random(50) == 0) model->StartOfFrame();
    };
  }
};

TEST_P(UsbRandomTest, StreamsBothWaysLoseNothing) {
  PlugIn();
  Interleave();
  Enumerate();
  Open();
  std::string down, sent, got;
  for (uint32_t i = 0; i < 100; ++i) down += Line(i, 1 + host->Random(90));
  host->to_write.assign(down.begin(), down.end());
  uint32_t number = 0;
  uint32_t room = kQueueBytes;
  for (int i = 0; i < 60000 && (number < 200 || got.size() < down.size()); ++i) {
    if (host->Random(3) == 0) host->Step();
    if (host->Random(3) == 0) Run();
    room = kQueueBytes - (usb.written - usb.read.load());
    const size_t size = 2 + host->Random(100);
    if (number < 200 && host->Random(4) == 0 && Line(number, size).size() <= room) {
      const std::string line = Line(number++, size);
      sent += line;
      // in pieces, as the core writes
      for (size_t at = 0; at < line.size();) {
        const size_t piece = std::min<size_t>(line.size() - at, 1 + host->Random(40));
        UsbWrite(line.data() + at, piece);
        at += piece;
        if (host->Random(2) == 0) Run();
      }
    }
    if (host->Random(10) == 0) {
      char text[64];
      const size_t size_read = UsbRead(text, 1 + host->Random(64));
      got.append(text, size_read);
    }
    if (host->Random(200) == 0) {
      EXPECT_EQ(Get(0x80, 6, 0x0200, 0, 255).size(), 75u);
    }
  }
  Steps(500);
  EXPECT_EQ(number, 200u);
  EXPECT_EQ(host->Text(), sent);
  EXPECT_EQ(got, down);
  EXPECT_EQ(UsbLostLines(), 0u);
}

// A complete session, with an event at one of the driver's accesses. The next session works.
class UsbAnyTimeTest : public UsbTest {
 protected:
  enum class What { kBusReset, kUnplug, kUnplugAndPlug, kSuspend };

  uint64_t Session(uint64_t at, What what) {
    const uint64_t begin = model->accesses;
    bool happened = false;
    model->on_access = [&, begin] {
      if (happened || model->accesses - begin < at) return;
      happened = true;
      Happen(what);
    };
    BusReset();
    Control(0x80, 6, 0x0100, 0, 64);
    Control(0x00, 5, kAddress, 0, 0);
    if (host->result() == Result::kDone) host->set_address(kAddress);
    Control(0x80, 6, 0x0200, 0, 255);
    Configure();
    SetLine(9600);
    Control(0x21, 0x22, 3, 0, 0);
    Frames(kQuietFrames);
    host->reading = true;
    host->to_write = Bytes(100, 'x');
    for (int i = 0; i < 12; ++i) {
      Write(Line(static_cast<uint32_t>(i), 45));
      Steps(2);
      Read();
    }
    model->on_access = nullptr;
    if (!happened) Happen(what);
    return model->accesses - begin;
  }

  void Happen(What what) {
    if (what == What::kSuspend) return model->Suspend();
    if (what == What::kBusReset) {
      model->BusReset();
      host->set_address(127);  // the rest of the session gets no answer
      return;
    }
    model->Unplug();
    if (what == What::kUnplugAndPlug) model->Plug();
  }

  void Sweep(What what) {
    PlugIn();
    uint64_t at = 0, length = 1;
    for (; at < length; at += 1 + at % 3) {
      SCOPED_TRACE(at);
      length = std::max(length, Session(at, what));
      host->Abort();
      host->reading = false;
      host->to_write.clear();
      Settle();
      if (!model->vbus()) model->Plug();
      if (model->suspended()) model->Resume();
      Settle();
      ASSERT_TRUE(model->attached());
      while (!Read().empty()) {
      }
      host = std::make_unique<UsbHost>(model.get(), static_cast<uint32_t>(at));
      if (what != What::kBusReset) BusReset();
      SetAddress();
      ASSERT_TRUE(Configure());
      while (!Read().empty()) {
      }
      Open();
      host->read.clear();
      Steps(300);
      host->read.clear();
      Write("Heard yes (201) @4056ms\n");
      host->to_write = {'s', '\n'};
      std::string got;
      for (int i = 0; i < 100; ++i) {
        Steps(1);
        got += Read();
      }
      ASSERT_EQ(host->Text().substr(host->Text().size() < 24 ? 0 : host->Text().size() - 24),
                "Heard yes (201) @4056ms\n");
      ASSERT_EQ(got, "s\n");
      ASSERT_FALSE(HasFailure());
      host->reading = false;
    }
    EXPECT_GT(length, 1000u);
  }
};

TEST_F(UsbAnyTimeTest, BusReset) { Sweep(What::kBusReset); }
TEST_F(UsbAnyTimeTest, Unplugged) { Sweep(What::kUnplug); }
TEST_F(UsbAnyTimeTest, UnpluggedAndDmaHangs) {
  model->dma_needs_power = true;
  Sweep(What::kUnplug);
}
TEST_F(UsbAnyTimeTest, UnpluggedForAnInstant) { Sweep(What::kUnplugAndPlug); }
TEST_F(UsbAnyTimeTest, Suspended) { Sweep(What::kSuspend); }

INSTANTIATE_TEST_SUITE_P(Seeds, UsbRandomTest, testing::Range(0u, 20u));

}  // namespace
}  // namespace board
}  // namespace kws
