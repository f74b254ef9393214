// SPDX-License-Identifier: Apache-2.0
// The USB serial port on a register-level model of the nRF52840's USBD, with a host on the other
// side. The driver is compiled into each test with a Register() that goes to the model.
#ifndef KWS_TEST_BOARDS_NRF52840_USB_USB_FIXTURE_H_
#define KWS_TEST_BOARDS_NRF52840_USB_USB_FIXTURE_H_
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

#include "boards/nrf52840/usb/usb_host.h"
#include "boards/nrf52840/usb/usbd_model.h"

#define KWS_BOARDS_CORTEX_M_H_  // this file replaces boards/cortex_m.h
#define KWS_BOARD_TABLE "boards/nrf52840/tables/nano33ble.h"

namespace kws {
namespace board {

inline UsbdModel* usbd_model = nullptr;

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

#include "boards/nrf52840/usb/usb.cc"
#include "boards/nrf52840/usb/usb_bus.cc"
#include "boards/nrf52840/usb/usb_descriptors.cc"
#include "boards/nrf52840/usb/usb_requests.cc"

namespace kws {
namespace board {

using Result = UsbHost::Result;

constexpr uint8_t kAddress = 23;

inline std::string Line(uint32_t number, size_t size) {
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

  // Runs pending interrupts. They repeat endlessly only because of a bug.
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

  // Lets time pass until the driver has nothing to do without the host.
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
  bool masked = false;  // as in a fault handler
};

inline Bytes Whole(const uint8_t* data, size_t size) { return Bytes(data, data + size); }

}  // namespace board
}  // namespace kws

#endif  // KWS_TEST_BOARDS_NRF52840_USB_USB_FIXTURE_H_
