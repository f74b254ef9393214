// SPDX-License-Identifier: Apache-2.0
// Enumeration and each request of endpoint 0.
#include "boards/nrf52840/usb/usb_fixture.h"

namespace kws {
namespace board {
namespace {

TEST_F(UsbTest, EnumeratesAsLinuxDoes) {
  PlugIn();
  BusReset();
  EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 64), Whole(kUsbDeviceDescriptor, 18));
  BusReset();
  SetAddress();
  EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 18), Whole(kUsbDeviceDescriptor, 18));
  EXPECT_EQ(Control(0x80, 6, 0x0600, 0, 10), Result::kStalled);  // no other speed
  EXPECT_EQ(Get(0x80, 6, 0x0200, 0, 9), Whole(kUsbConfigurationDescriptor, 9));
  EXPECT_EQ(Get(0x80, 6, 0x0200, 0, 75), Whole(kUsbConfigurationDescriptor, 75));
  EXPECT_EQ(Get(0x80, 6, 0x0300, 0, 255), (Bytes{4, 3, 9, 4}));
  EXPECT_EQ(Get(0x80, 6, 0x0302, 0x0409, 255).size(), 24u);
  EXPECT_EQ(Get(0x80, 6, 0x0301, 0x0409, 255).size(), 16u);
  const Bytes serial = Get(0x80, 6, 0x0303, 0x0409, 255);
  std::string text;
  for (size_t i = 2; i < serial.size(); i += 2) text += static_cast<char>(serial[i]);
  EXPECT_EQ(text, "0123456789ABCDEF");
  ASSERT_TRUE(Configure());
  // cdc_acm's probe and open
  EXPECT_TRUE(SetLine(9600));
  EXPECT_TRUE(SetDtr(true));
}

TEST_F(UsbTest, EnumeratesAsWindowsDoes) {
  PlugIn();
  BusReset();
  EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 64), Whole(kUsbDeviceDescriptor, 18));
  BusReset();
  SetAddress();
  EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 18), Whole(kUsbDeviceDescriptor, 18));
  EXPECT_EQ(Get(0x80, 6, 0x0200, 0, 255), Whole(kUsbConfigurationDescriptor, 75));
  EXPECT_EQ(Control(0x80, 6, 0x03ee, 0, 18), Result::kStalled);  // Microsoft's OS descriptor
  EXPECT_EQ(Get(0x80, 6, 0x0303, 0x0409, 255).size(), 34u);
  EXPECT_EQ(Get(0x80, 6, 0x0300, 0, 255).size(), 4u);
  EXPECT_EQ(Get(0x80, 6, 0x0302, 0x0409, 4).size(), 4u);
  EXPECT_EQ(Control(0x80, 6, 0x0600, 0, 10), Result::kStalled);
  EXPECT_EQ(Get(0x80, 0, 0, 0, 2), (Bytes{0, 0}));
  ASSERT_TRUE(Configure());
  EXPECT_EQ(Get(0xa1, 0x21, 0, 0, 7), (Bytes{0x00, 0xc2, 0x01, 0x00, 0, 0, 8}));
  EXPECT_TRUE(SetDtr(false));
  EXPECT_TRUE(SetLine(115200));
  EXPECT_TRUE(SetDtr(true));
}

TEST_F(UsbTest, RepliesHaveTheRequestedLength) {
  PlugIn();
  BusReset();
  for (uint16_t length = 1; length <= 80; ++length) {
    const size_t expected = std::min<size_t>(length, 75);
    EXPECT_EQ(Get(0x80, 6, 0x0200, 0, length), Whole(kUsbConfigurationDescriptor, expected));
  }
  EXPECT_EQ(Get(0x80, 6, 0x0200, 0, 0xffff), Whole(kUsbConfigurationDescriptor, 75));
  EXPECT_EQ(Control(0x80, 6, 0x0200, 0, 0), Result::kDone);
}

// --- USB 2.0 chapter 9 ---

struct Request9 {
  uint8_t type, request;
  uint16_t value, index, length;
  bool configured;
  Result result;
  Bytes reply;
};

TEST_F(UsbTest, AnswersEachRequestOfChapter9) {
  const Request9 requests[] = {
      // Before a configuration is set, only the device answers.
      {0x80, 0, 0, 0, 2, false, Result::kDone, {0, 0}},     // GET_STATUS, device
      {0x82, 0, 0, 0, 2, false, Result::kDone, {0, 0}},     // endpoint 0
      {0x82, 0, 0, 0x80, 2, false, Result::kDone, {0, 0}},  // endpoint 0, IN
      {0x81, 0, 0, 0, 2, false, Result::kStalled, {}},      // interface
      {0x82, 0, 0, 0x81, 2, false, Result::kStalled, {}},   // endpoint 1
      {0x80, 8, 0, 0, 1, false, Result::kDone, {0}},        // GET_CONFIGURATION
      {0x81, 10, 0, 0, 1, false, Result::kStalled, {}},     // GET_INTERFACE
      {0x01, 11, 0, 0, 0, false, Result::kStalled, {}},     // SET_INTERFACE
      {0x00, 9, 2, 0, 0, false, Result::kStalled, {}},      // SET_CONFIGURATION, unknown
      {0xa1, 0x21, 0, 0, 7, false, Result::kStalled, {}},   // GET_LINE_CODING
      {0x21, 0x22, 1, 0, 0, false, Result::kStalled, {}},   // SET_CONTROL_LINE_STATE
      // Configured.
      {0x80, 0, 0, 0, 2, true, Result::kDone, {0, 0}},
      {0x80, 8, 0, 0, 1, true, Result::kDone, {1}},
      {0x81, 0, 0, 0, 2, true, Result::kDone, {0, 0}},
      {0x81, 0, 0, 1, 2, true, Result::kDone, {0, 0}},
      {0x81, 0, 0, 2, 2, true, Result::kStalled, {}},  // no third interface
      {0x82, 0, 0, 0x81, 2, true, Result::kDone, {0, 0}},
      {0x82, 0, 0, 0x82, 2, true, Result::kDone, {0, 0}},
      {0x82, 0, 0, 0x02, 2, true, Result::kDone, {0, 0}},
      {0x82, 0, 0, 0x01, 2, true, Result::kStalled, {}},  // only IN
      {0x82, 0, 0, 0x83, 2, true, Result::kStalled, {}},
      {0x81, 10, 0, 0, 1, true, Result::kDone, {0}},
      {0x81, 10, 0, 1, 1, true, Result::kDone, {0}},
      {0x81, 10, 0, 2, 1, true, Result::kStalled, {}},
      {0x01, 11, 0, 0, 0, true, Result::kDone, {}},
      {0x01, 11, 0, 1, 0, true, Result::kDone, {}},
      {0x01, 11, 1, 1, 0, true, Result::kStalled, {}},  // no other setting
      {0x01, 11, 0, 2, 0, true, Result::kStalled, {}},
      {0x00, 1, 1, 0, 0, true, Result::kStalled, {}},  // no remote wake-up
      {0x00, 3, 1, 0, 0, true, Result::kStalled, {}},
      {0x00, 3, 2, 0x100, 0, true, Result::kStalled, {}},  // no test mode
      {0x01, 3, 0, 0, 0, true, Result::kStalled, {}},      // interfaces have no feature
      {0x02, 3, 0, 0x82, 0, true, Result::kDone, {}},      // halt and its effects
      {0x82, 0, 0, 0x82, 2, true, Result::kDone, {1, 0}},
      {0x82, 0, 0, 0x02, 2, true, Result::kDone, {0, 0}},
      {0x02, 1, 0, 0x82, 0, true, Result::kDone, {}},
      {0x82, 0, 0, 0x82, 2, true, Result::kDone, {0, 0}},
      {0x02, 3, 0, 0x81, 0, true, Result::kDone, {}},
      {0x82, 0, 0, 0x81, 2, true, Result::kDone, {1, 0}},
      {0x02, 1, 0, 0x81, 0, true, Result::kDone, {}},
      {0x02, 3, 0, 0x02, 0, true, Result::kDone, {}},
      {0x82, 0, 0, 0x02, 2, true, Result::kDone, {1, 0}},
      {0x00, 9, 1, 0, 0, true, Result::kDone, {}},  // ends the halt
      {0x82, 0, 0, 0x02, 2, true, Result::kDone, {0, 0}},
      {0x02, 3, 0, 0x00, 0, true, Result::kStalled, {}},  // not of endpoint 0
      {0x02, 1, 0, 0x00, 0, true, Result::kDone, {}},
      {0x02, 3, 1, 0x82, 0, true, Result::kStalled, {}},           // no such feature
      {0x02, 3, 0, 0x84, 0, true, Result::kStalled, {}},           // no such endpoint
      {0x82, 12, 0, 0x82, 2, true, Result::kStalled, {}},          // SYNCH_FRAME
      {0x00, 7, 0x0100, 0, 18, true, Result::kStalled, {}},        // SET_DESCRIPTOR
      {0x80, 6, 0x0101, 0, 18, true, Result::kStalled, {}},        // second device descriptor
      {0x80, 6, 0x0201, 0, 75, true, Result::kStalled, {}},        // second configuration
      {0x80, 6, 0x0304, 0x0409, 255, true, Result::kStalled, {}},  // no such string
      {0x80, 6, 0x0400, 0, 9, true, Result::kStalled, {}},         // INTERFACE
      {0x80, 6, 0x0500, 0, 7, true, Result::kStalled, {}},         // ENDPOINT
      {0x80, 6, 0x0600, 0, 10, true, Result::kStalled, {}},        // DEVICE_QUALIFIER
      {0x80, 6, 0x0700, 0, 9, true, Result::kStalled, {}},         // OTHER_SPEED_CONFIGURATION
      {0x80, 6, 0x0f00, 0, 5, true, Result::kStalled, {}},         // BOS
      // The class: PSTN 1.2.
      {0xa1, 0x21, 0, 0, 7, true, Result::kDone, {0x00, 0xc2, 0x01, 0x00, 0, 0, 8}},
      {0xa1, 0x21, 0, 1, 7, true, Result::kStalled, {}},  // not the data interface's
      {0x21, 0x22, 0, 0, 0, true, Result::kDone, {}},
      {0x21, 0x23, 0xffff, 0, 0, true, Result::kDone, {}},  // SEND_BREAK
      {0x21, 0x00, 0, 0, 2, true, Result::kStalled, {}},    // SEND_ENCAPSULATED_COMMAND
      {0xa1, 0x01, 0, 0, 64, true, Result::kStalled, {}},
      // Invalid requests: wrong direction, wrong length, vendor, reserved.
      {0x00, 6, 0x0100, 0, 0, true, Result::kStalled, {}},
      {0x80, 9, 1, 0, 1, true, Result::kStalled, {}},
      {0x00, 9, 1, 0, 4, true, Result::kStalled, {}},
      {0x00, 9, 0x0101, 0, 0, true, Result::kStalled, {}},
      {0x00, 9, 1, 1, 0, true, Result::kStalled, {}},
      {0x21, 0x20, 0, 0, 6, true, Result::kStalled, {}},
      {0x21, 0x20, 0, 0, 0, true, Result::kStalled, {}},
      {0xc0, 0x20, 0, 4, 40, true, Result::kStalled, {}},
      {0x40, 1, 0, 0, 0, true, Result::kStalled, {}},
      {0xe0, 6, 0x0100, 0, 18, true, Result::kStalled, {}},
      {0x83, 0, 0, 0, 2, true, Result::kStalled, {}},
      {0x1f, 9, 1, 0, 0, true, Result::kStalled, {}},
  };
  PlugIn();
  BusReset();
  SetAddress();
  bool configured = false;
  for (const Request9& r : requests) {
    SCOPED_TRACE(&r - requests);
    if (r.configured && !configured) {
      configured = Configure();
      ASSERT_TRUE(configured);
    }
    const Bytes data((r.type & 0x80) == 0 ? r.length : 0, 0);
    EXPECT_EQ(Control(r.type, r.request, r.value, r.index, r.length, data), r.result);
    if (r.result == Result::kDone) {
      EXPECT_EQ(host->reply(), r.reply);
    }
    // A refusal lasts until the next request.
    EXPECT_EQ(Get(0x80, 8, 0, 0, 1), Bytes{configured ? uint8_t{1} : uint8_t{0}});
  }
}

TEST_F(UsbTest, CanReturnToUnconfigured) {
  Start();
  ASSERT_EQ(Control(0x00, 9, 0, 0, 0), Result::kDone);
  EXPECT_EQ(Get(0x80, 8, 0, 0, 1), Bytes{0});
  Write("nobody\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "");
  ASSERT_TRUE(Configure());
  Open();
  Write("somebody\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "somebody\n");
}

TEST_F(UsbTest, ANewConfigurationClosesTheTerminal) {
  Start();
  ASSERT_TRUE(Configure());
  Write("nobody\n");
  Frames(kQuietFrames);
  Steps(50);
  EXPECT_EQ(host->Text(), "");
}

TEST_F(UsbTest, UnreadReplyIsNotTheNextRequestsStatus) {
  Start();
  host->reading = false;
  host->StartControl(0x80, 6, 0x0200, 0, 255);
  while (model->control_idle()) host->Step();
  Run();  // the reply waits
  EXPECT_TRUE(SetDtr(false));
}

TEST_F(UsbTest, NewConfigurationDropsTheWaitingPacket) {
  Start();
  host->reading = false;
  Write("old\n");
  ASSERT_TRUE(Configure());
  Open();
  Write("new\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "new\n");
}

TEST_F(UsbTest, ANewRequestEndsTheLastOne) {
  PlugIn();
  BusReset();
  for (int tokens = 1; tokens < 6; ++tokens) {
    host->StartControl(0x80, 6, 0x0200, 0, 255);
    Steps(tokens * 2);
    Settle();
    EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 18), Whole(kUsbDeviceDescriptor, 18));
  }
  SetAddress();
  ASSERT_TRUE(Configure());
  for (int tokens = 1; tokens < 6; ++tokens) {
    host->StartControl(0x21, 0x20, 0, 0, 7, Bytes{1, 2, 3, 4, 5, 6, 7});
    Steps(tokens);
    Settle();
    EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 18), Whole(kUsbDeviceDescriptor, 18));
  }
}

TEST_F(UsbTest, NewRequestMayArriveBeforeTheLastOneIsHandled) {
  PlugIn();
  BusReset();
  for (uint16_t length : {18, 64, 75}) {
    host->StartControl(0x80, 6, length == 18 ? 0x0100 : 0x0200, 0, length);
    host->Step();
    while (host->reply().empty()) {
      Run();
      host->Step();
    }
    // The host took a packet; the driver has not run since.
    EXPECT_EQ(Get(0x80, 6, 0x0100, 0, 18), Whole(kUsbDeviceDescriptor, 18));
  }
}

TEST_F(UsbTest, RefusesALineCodingOfAnotherLength) {
  Start();
  EXPECT_EQ(Control(0x21, 0x20, 0, 0, 7, Bytes(3, 1)), Result::kStalled);
  EXPECT_EQ(Get(0xa1, 0x21, 0, 0, 7), (Bytes{0x00, 0xc2, 0x01, 0x00, 0, 0, 8}));
  ASSERT_TRUE(SetLine(57600));
  EXPECT_EQ(Get(0xa1, 0x21, 0, 0, 7), (Bytes{0x00, 0xe1, 0, 0, 0, 0, 8}));
}

}  // namespace
}  // namespace board
}  // namespace kws
