// The USB serial port on a register-level model of the nRF52840's USBD, with a host on the other
// side. The driver is compiled into this file with a Register() that goes to the model.
#include <gtest/gtest.h>

#include <memory>
#include <new>

#include "boards/nano33ble/usb/usb_host.h"
#include "boards/nano33ble/usb/usbd_model.h"

#define KWS_BOARDS_CORTEX_M_H_  // what follows stands in for boards/cortex_m.h

namespace kws {
namespace board {

UsbdModel* usbd_model = nullptr;

class ModelRegister {
 public:
  explicit ModelRegister(uint32_t address) : address_(address) {}
  operator uint32_t() const { return usbd_model->Read(address_); }
  void operator=(uint32_t value) { usbd_model->Write(address_, value); }
  void operator|=(uint32_t bits) { *this = *this | bits; }

 private:
  uint32_t address_;
};

inline ModelRegister Register(uint32_t address) { return ModelRegister(address); }

}  // namespace board
}  // namespace kws

#include "boards/nano33ble/usb/usb.cc"
#include "boards/nano33ble/usb/usb_descriptors.cc"

namespace kws {
namespace board {
namespace {

using Result = UsbHost::Result;

constexpr uint8_t kAddress = 23;

std::string Line(uint32_t number, size_t size) {
  std::string text = std::to_string(number) + " ";
  while (text.size() + 1 < size) text += static_cast<char>('a' + (number + text.size()) % 26);
  return text + "\n";
}

class UsbTest : public testing::Test {
 protected:
  UsbTest() : UsbTest(1) {}
  explicit UsbTest(uint32_t seed) : model(new UsbdModel), host(new UsbHost(model.get(), seed)) {
    usbd_model = model.get();
    new (&usb) Usb();
    model->SetRam(&usb, sizeof(usb));
  }

  // Lets the interrupts run that are pending. There can be no end of them only by a mistake.
  void Run() {
    if (masked) return;
    for (int i = 0; model->UsbdInterrupt() || model->PowerInterrupt(); ++i) {
      ASSERT_LT(i, 1000) << "an interrupt that never ends";
      if (model->PowerInterrupt()) UsbPowerEvents();
      if (!model->UsbdInterrupt()) continue;
      model->EnterInterrupt();
      KwsUsbdInterrupt();
      model->LeaveInterrupt();
    }
  }

  void Frames(int count) {
    for (int i = 0; i < count; ++i) {
      model->StartOfFrame();
      Run();
    }
  }

  // Time passes until the driver has done what it can do without the host.
  void Settle() {
    for (int i = 0; i < 3; ++i) {
      Run();
      model->Wait();
    }
    Run();
  }

  void Steps(int count) {
    for (int i = 0; i < count; ++i) {
      host->Step();
      Run();
    }
  }

  Result Control(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length,
                 const Bytes& data = {}) {
    host->StartControl(type, request, value, index, length, data);
    for (int i = 0; i < 2000 && host->result() == Result::kBusy; ++i) {
      host->Step();
      if (host->Random(4) != 0) Run();
    }
    Settle();
    return host->result();
  }

  Bytes Get(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length) {
    EXPECT_EQ(Control(type, request, value, index, length), Result::kDone);
    return host->reply();
  }

  void BusReset() {
    model->BusReset();
    host->set_address(0);
    host->ResetToggles();
    Settle();
  }

  void PlugIn() {
    UsbInit();
    model->Plug();
    Settle();
    ASSERT_TRUE(model->attached());
  }

  void SetAddress() {
    ASSERT_EQ(Control(0x00, 5, kAddress, 0, 0), Result::kDone);
    host->set_address(kAddress);
  }

  bool Configure() {
    const bool done = Control(0x00, 9, 1, 0, 0) == Result::kDone;
    host->ResetToggles();
    return done;
  }

  bool SetLine(uint32_t rate) {
    const Bytes coding = {static_cast<uint8_t>(rate),
                          static_cast<uint8_t>(rate >> 8),
                          static_cast<uint8_t>(rate >> 16),
                          static_cast<uint8_t>(rate >> 24),
                          0,
                          0,
                          8};
    return Control(0x21, 0x20, 0, 0, 7, coding) == Result::kDone;
  }

  bool SetDtr(bool on) { return Control(0x21, 0x22, on ? 3 : 0, 0, 0) == Result::kDone; }

  // From the cable to an open terminal.
  void Open() {
    SetDtr(true);
    Frames(kQuietFrames);
    host->reading = true;
  }

  void Enumerate() {
    BusReset();
    SetAddress();
    ASSERT_TRUE(Configure());
  }

  void Start() {
    PlugIn();
    Enumerate();
    Open();
    Write("boot\n");
    Steps(30);
    ASSERT_EQ(host->Text(), "boot\n");
    host->read.clear();
  }

  void Write(const std::string& text) {
    UsbWrite(text.data(), text.size());
    Run();
  }

  std::string Read() {
    char text[100];
    const size_t size = UsbRead(text, sizeof(text));
    Run();
    return std::string(text, size);
  }

  std::unique_ptr<UsbdModel> model;
  std::unique_ptr<UsbHost> host;
  bool masked = false;  // as in a fault's handler
};

Bytes Whole(const uint8_t* data, size_t size) { return Bytes(data, data + size); }

// --- The start ---

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

TEST_F(UsbTest, StartsWhereTheSupplyComesLate) {
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

TEST_F(UsbTest, ReadyOfTheLastCableIsNotThisOnes) {
  UsbInit();
  model->Plug();
  Run();
  for (int i = 0; i < 3; ++i) model->Wait();  // READY, and nobody has heard of it
  model->Unplug();
  model->Plug();
  Settle();  // what comes too early is the model's to see
  EXPECT_TRUE(model->attached());
}

TEST_F(UsbTest, AnotherEventBeforeReadyIsNoStorm) {
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

TEST_F(UsbTest, SurvivesACableThatIsOutForAnInstant) {
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

TEST_F(UsbTest, StartsOverWhereDmaHangs) {
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

TEST_F(UsbTest, NothingFollowsADmaThatHangs) {
  Start();
  masked = true;
  UsbWrite("waits\n", 6);
  host->reading = false;
  host->StartControl(0x80, 6, 0x0100, 0, 18);
  host->Step();
  while (model->control_idle()) host->Step();
  model->dma_hangs = true;
  UsbService();  // the model fails a second DMA and tasks meanwhile
  masked = false;
  Run();
  model->dma_hangs = false;
  Settle();
  ASSERT_TRUE(model->attached());
  Enumerate();
}

TEST_F(UsbTest, NoticesTheCableWhereNoInterruptComes) {
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

// --- Enumeration ---

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

TEST_F(UsbTest, GivesAsMuchAsIsAskedFor) {
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
      // Before a configuration is set: the device answers, nothing else is there.
      {0x80, 0, 0, 0, 2, false, Result::kDone, {0, 0}},     // GET_STATUS, device
      {0x82, 0, 0, 0, 2, false, Result::kDone, {0, 0}},     // endpoint 0
      {0x82, 0, 0, 0x80, 2, false, Result::kDone, {0, 0}},  // endpoint 0, IN
      {0x81, 0, 0, 0, 2, false, Result::kStalled, {}},      // interface
      {0x82, 0, 0, 0x81, 2, false, Result::kStalled, {}},   // endpoint 1
      {0x80, 8, 0, 0, 1, false, Result::kDone, {0}},        // GET_CONFIGURATION
      {0x81, 10, 0, 0, 1, false, Result::kStalled, {}},     // GET_INTERFACE
      {0x01, 11, 0, 0, 0, false, Result::kStalled, {}},     // SET_INTERFACE
      {0x00, 9, 2, 0, 0, false, Result::kStalled, {}},      // SET_CONFIGURATION, no such
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
      {0x02, 3, 0, 0x82, 0, true, Result::kDone, {}},      // halt and what follows
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
      // What makes no sense: wrong direction, wrong length, vendor's, reserved.
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
    // A refusal ends with the next request.
    EXPECT_EQ(Get(0x80, 8, 0, 0, 1), Bytes{configured ? uint8_t{1} : uint8_t{0}});
  }
}

TEST_F(UsbTest, GoesBackToUnconfigured) {
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

TEST_F(UsbTest, AReplyThatNobodyTookIsNotTheNextRequestsStatus) {
  Start();
  host->reading = false;
  host->StartControl(0x80, 6, 0x0200, 0, 255);
  while (model->control_idle()) host->Step();
  Run();  // the reply waits
  EXPECT_TRUE(SetDtr(false));
}

TEST_F(UsbTest, ANewConfigurationForgetsThePacketThatWaits) {
  Start();
  host->reading = false;
  Write("old\n");
  ASSERT_TRUE(Configure());
  Open();
  Write("new\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "new\n");
}

TEST_F(UsbTest, ANewRequestEndsTheLast) {
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

TEST_F(UsbTest, ANewRequestMayComeBeforeTheDriverHeardOfTheLastsEnd) {
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

// --- Lines ---

TEST_F(UsbTest, TheFirstListenerGetsTheBootLine) {
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

TEST_F(UsbTest, WhoOnlyLooksInDoesNotTakeTheBootLine) {
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

TEST_F(UsbTest, IsQuietUntilTheTerminalsEchoIsOff) {
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

TEST_F(UsbTest, NobodyListensNothingIsKept) {
  Start();
  ASSERT_TRUE(SetDtr(false));
  Write("before\n");
  Open();
  Write("after\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "after\n");
  EXPECT_EQ(UsbLostLines(), 0u);
}

TEST_F(UsbTest, RtsAloneIsNobody) {
  Start();
  ASSERT_EQ(Control(0x21, 0x22, 2, 0, 0), Result::kDone);
  Frames(kQuietFrames);
  Write("nobody\n");
  Steps(50);
  EXPECT_EQ(host->Text(), "");
}

TEST_F(UsbTest, ALineIsDroppedAsAWhole) {
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
  // Of what was on its way when the terminal closed, a packet can be left; never a half line that
  // runs into the next.
  EXPECT_EQ(host->Text(), "second\nfourth\n");
}

TEST_F(UsbTest, AHalfSentLineEndsBeforeTheNextListenersText) {
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

TEST_F(UsbTest, AHostThatStopsReadingLosesWholeLines) {
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

TEST_F(UsbTest, SuspendDropsLinesAndResumeGoesOn) {
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

TEST_F(UsbTest, TrafficEndsASuspendThatAResetHid) {
  PlugIn();
  model->Suspend();  // both are pending when the interrupt comes
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

TEST_F(UsbTest, HoldsTheHostOffWhileNobodyReads) {
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

TEST_F(UsbTest, ABusResetForgetsThePacketThatWaits) {
  Start();
  host->to_write = Bytes(200, 'x');
  Steps(300);
  BusReset();
  EXPECT_NE(Read(), "");
  EXPECT_EQ(Read(), "");
}

TEST_F(UsbTest, HaltsAndGoesOn) {
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

TEST_F(UsbTest, ClearingAHaltKeepsThePacketThatWaits) {
  Start();
  std::string text;
  for (uint32_t i = 0; i < 6; ++i) text += Line(i, 40);
  host->to_write.assign(text.begin(), text.end());
  Steps(300);  // nobody reads: one packet is in the buffer, one in the endpoint
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

// --- Faults ---

TEST_F(UsbTest, SpeaksWhereNoInterruptComes) {
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

// --- The touch ---

TEST_F(UsbTest, TheTouchResetsIntoTheBootloader) {
  Start();
  ASSERT_TRUE(SetLine(1200));
  Frames(100);
  EXPECT_FALSE(model->chip_reset);  // the port is still open
  ASSERT_TRUE(SetDtr(false));       // and is answered
  Frames(kTouchFrames - 2);
  EXPECT_FALSE(model->chip_reset);
  Frames(2);
  EXPECT_TRUE(model->chip_reset);
  EXPECT_EQ(model->retained, 0xb0u);
}

TEST_F(UsbTest, TheTouchMayComeTheOtherWayRound) {
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

TEST_F(UsbTest, ATouchIsTakenBack) {
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

// --- Anything at any time ---

// Traffic in both directions while the bus takes steps between the driver's own accesses.
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

// A session with all that there is, and something that happens at one of the driver's accesses: the
// next session works.
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
      host->set_address(127);  // the rest of the session is not heard
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
TEST_F(UsbAnyTimeTest, UnpluggedAndDmaNeverEnds) {
  model->dma_needs_power = true;
  Sweep(What::kUnplug);
}
TEST_F(UsbAnyTimeTest, UnpluggedForAnInstant) { Sweep(What::kUnplugAndPlug); }
TEST_F(UsbAnyTimeTest, Suspended) { Sweep(What::kSuspend); }

INSTANTIATE_TEST_SUITE_P(Seeds, UsbRandomTest, testing::Range(0u, 20u));

}  // namespace
}  // namespace board
}  // namespace kws
