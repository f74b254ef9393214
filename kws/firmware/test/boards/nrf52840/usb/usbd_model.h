// SPDX-License-Identifier: Apache-2.0
// The nRF52840's USB device peripheral at register level, with cable and bus, for tests on the
// host. Sources: the Product Specification (PS) v1.7, section 6.35, and the errata document.
// Any use that the PS forbids fails the test.
//
// Where the PS is silent, the model assumes the worst: a packet in an IN endpoint survives a bus
// reset, a halt, disabling the endpoint and, on endpoint 0, a new SETUP.
#ifndef KWS_TEST_BOARDS_NRF52840_USB_USBD_MODEL_H_
#define KWS_TEST_BOARDS_NRF52840_USB_USBD_MODEL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kws {

using Bytes = std::vector<uint8_t>;

// The answer to a token of the host.
enum class Handshake { kNothing, kAck, kNak, kStall };

class UsbdModel {
 public:
  static constexpr uint32_t kBase = 0x40027000;
  static constexpr int kEndpoints = 8;

  // Where the driver's buffers may be; registers hold only the low halves of addresses.
  void SetRam(const void* begin, size_t bytes) {
    ram_ = static_cast<uint8_t*>(const_cast<void*>(begin));
    ram_bytes_ = bytes;
  }

  // Called before each access of the driver, but not during the host's actions.
  std::function<void()> on_access;

  // Number of accesses during a DMA and during the start, and whether DMA hangs.
  int dma_accesses = 3;
  int start_accesses = 20;
  bool dma_hangs = false;
  bool dma_needs_power = false;  // DMA hangs without the cable; undocumented

  uint64_t accesses = 0;
  bool chip_reset = false;
  uint32_t retained = 0;  // GPREGRET

  // --- The driver's side ---

  uint32_t Read(uint32_t address) {
    Advance();
    const uint32_t value = ReadNow(address);
    return value;
  }

  void Write(uint32_t address, uint32_t value) {
    Advance();
    WriteNow(address, value);
  }

  bool UsbdInterrupt() const {
    return (nvic_enable_[1] & 1u << 7) != 0 && (pending_ || (Events() & inten_) != 0);
  }
  bool PowerInterrupt() const {
    return (nvic_enable_[0] & 1u) != 0 && (power_events_ & power_inten_) != 0;
  }
  // The core enters the handler, which clears the pending bit set by software.
  void EnterInterrupt() { pending_ = false; }
  void LeaveInterrupt() {
    EXPECT_FALSE(dma_.has_value() && DmaRuns()) << "left while DMA runs";
    EXPECT_EQ(errata199_, 0u) << "anomaly 199's switch left on";
  }
  int priority(int interrupt) const { return priorities_[interrupt]; }

  // --- The cable ---

  void Plug() {
    vbus_ = true;
    output_ = false;
    output_in_ = start_accesses;
    power_events_ |= kDetected;
  }

  void Unplug() {
    vbus_ = output_ = false;
    ready_ = false;
    bus_reset_pending_ = false;
    stale_ = true;
    power_events_ |= kRemoved;
    ResetEndpoints();
    events_[kUsbEvent] = events_[kUsbEvent] && ready_;
  }

  // A USBEVENT that the driver does not wait for.
  void OtherCause() { Cause(1u << 10); }

  // Lets time pass between accesses.
  void Wait() {
    for (int i = 0; i < 1000; ++i) Tick();
  }

  bool vbus() const { return vbus_; }
  bool attached() const { return vbus_ && ready_ && pullup_; }
  bool suspended() const { return suspended_; }
  // Whether no SETUP is waiting for the driver's answer.
  bool control_idle() const { return control_ == Control::kIdle; }
  // Whether the driver has not handled the last bus reset; a host waits 10 ms (USB 2.0 7.1.7.5).
  bool recovering() const { return bus_reset_pending_; }

  // --- The bus ---

  void BusReset() {
    if (!attached()) return;
    ResetEndpoints();
    address_ = 0;
    suspended_ = false;
    bus_reset_pending_ = after_reset_ = true;
    stale_ = true;
    events_[kUsbReset] = true;
  }

  void StartOfFrame() {
    if (attached() && !suspended_) events_[kSof] = true;
  }

  void Suspend() {
    if (!attached() || suspended_) return;
    suspended_ = true;
    Cause(1u << 8);
  }

  void Resume() {
    if (!attached() || !suspended_) return;
    suspended_ = false;
    Cause(1u << 9);
  }

  Handshake Setup(uint8_t address, const uint8_t (&packet)[8]) {
    if (!Hears(address)) return Handshake::kNothing;
    EXPECT_TRUE(!after_reset_ || (in_enable_ | out_enable_) == 1u)
        << "the last session's endpoints";
    after_reset_ = false;
    for (int i = 0; i < 8; ++i) setup_[i] = packet[i];
    control_ = Control::kDecide;
    endpoints_[0].out.reset();
    taken0_ = 0;
    if (IsSetAddress()) control_ = Control::kStatus;  // USBD answers by itself
    events_[kEp0Setup] = true;
    return Handshake::kAck;
  }

  // `toggle` is set to the packet's DATA0 or DATA1.
  Handshake In(uint8_t address, int number, Bytes* data, bool* toggle) {
    if (!Hears(address)) return Handshake::kNothing;
    if (number == 0) return In0(data);
    Endpoint& endpoint = endpoints_[number];
    if ((in_enable_ & 1u << number) == 0) return Handshake::kNothing;
    if (endpoint.in_stalled) return Handshake::kStall;
    if (!endpoint.in.has_value()) return Handshake::kNak;
    *data = *endpoint.in;
    *toggle = endpoint.in_toggle;
    endpoint.in.reset();
    endpoint.in_toggle = !endpoint.in_toggle;
    data_status_ |= 1u << number;
    events_[kEpData] = true;
    return Handshake::kAck;
  }

  Handshake Out(uint8_t address, int number, const Bytes& data, bool toggle) {
    if (!Hears(address)) return Handshake::kNothing;
    if (number == 0) return Out0(data);
    Endpoint& endpoint = endpoints_[number];
    if ((out_enable_ & 1u << number) == 0) return Handshake::kNothing;
    if (endpoint.out_stalled) return Handshake::kStall;
    if (!endpoint.accepting || endpoint.out.has_value()) return Handshake::kNak;
    if (toggle != endpoint.out_toggle) return Handshake::kAck;  // a repeated packet
    endpoint.out = data;
    endpoint.out_toggle = !endpoint.out_toggle;
    data_status_ |= 1u << (16 + number);
    events_[kEpData] = true;
    return Handshake::kAck;
  }

 private:
  // Bits of INTEN, and events at 0x100 + 4 n.
  enum Event {
    kUsbReset = 0,
    kStarted = 1,
    kEndIn0 = 2,
    kDataDone0 = 10,
    kEndOut0 = 12,
    kSof = 21,
    kUsbEvent = 22,
    kEp0Setup = 23,
    kEpData = 24,
    kEventCount = 25,
  };
  static constexpr uint32_t kDetected = 1u << 7;
  static constexpr uint32_t kRemoved = 1u << 8;
  static constexpr uint32_t kPowerReady = 1u << 9;

  // Endpoint 0: idle, the driver must decide, data to the host waits or was sent, data may arrive
  // or has arrived, status, refused.
  enum class Control { kIdle, kDecide, kIn, kInTaken, kOutOpen, kOutFull, kStatus, kStall };

  struct Endpoint {
    std::optional<Bytes> in, out;  // waiting packets
    bool in_stalled = false, out_stalled = false;
    bool in_toggle = false, out_toggle = false;
    bool accepting = false;
  };
  struct Dma {
    int number;
    bool in;
    int left;
  };

  bool Hears(uint8_t address) {
    return attached() && !suspended_ && !bus_reset_pending_ && address == address_;
  }
  uint32_t length0() const { return setup_[6] | setup_[7] << 8; }
  bool asks0() const { return (setup_[0] & 0x80) != 0 && length0() > 0; }
  bool IsSetAddress() const { return setup_[0] == 0 && setup_[1] == 5; }

  Handshake In0(Bytes* data) {
    if (control_ == Control::kStall) return Handshake::kStall;
    if (control_ == Control::kIn) {
      *data = *endpoints_[0].in;
      endpoints_[0].in.reset();
      taken0_ += data->size();
      control_ = Control::kInTaken;
      events_[kDataDone0] = true;
      return Handshake::kAck;
    }
    if (control_ == Control::kStatus && !asks0()) {
      EXPECT_FALSE(endpoints_[0].in.has_value()) << "the last reply instead of a status";
      data->clear();
      control_ = Control::kIdle;
      if (IsSetAddress()) address_ = setup_[2] & 0x7f;
      return Handshake::kAck;
    }
    return Handshake::kNak;
  }

  Handshake Out0(const Bytes& data) {
    if (control_ == Control::kStall) return Handshake::kStall;
    if (control_ == Control::kOutOpen) {
      endpoints_[0].out = data;
      control_ = Control::kOutFull;
      events_[kDataDone0] = true;
      return Handshake::kAck;
    }
    if (control_ == Control::kStatus && asks0()) {
      EXPECT_TRUE(data.empty());
      control_ = Control::kIdle;
      return Handshake::kAck;
    }
    return Handshake::kNak;
  }

  void ResetEndpoints() {
    for (Endpoint& endpoint : endpoints_) {
      const std::optional<Bytes> waiting = endpoint.in;
      endpoint = Endpoint();
      endpoint.in = waiting;
    }
    in_enable_ = out_enable_ = 1;
    control_ = Control::kIdle;
  }

  void Cause(uint32_t bits) {
    cause_ |= bits;
    events_[kUsbEvent] = true;
  }

  uint32_t Events() const {
    uint32_t bits = 0;
    for (int i = 0; i < kEventCount; ++i) bits |= static_cast<uint32_t>(events_[i]) << i;
    return bits;
  }

  void Advance() {
    ++accesses;
    if (on_access && !inside_) {
      inside_ = true;
      on_access();
      inside_ = false;
    }
    Tick();
  }

  void Tick() {
    if (output_in_ > 0 && vbus_ && --output_in_ == 0) {
      output_ = true;
      power_events_ |= kPowerReady;
    }
    if (ready_in_ > 0 && vbus_ && enable_ && --ready_in_ == 0) {
      ready_ = true;
      Cause(1u << 11);
    }
    if (dma_.has_value() && DmaRuns() && --dma_->left <= 0) EndDma();
  }

  bool DmaRuns() const { return !dma_hangs && (vbus_ || !dma_needs_power); }

  // Rules that hold only if the driver has handled all bus events.
  void Rule(bool holds, const char* what) { EXPECT_TRUE(stale_ || holds) << what; }

  uint8_t* Memory(uint32_t low, uint32_t size) {
    const uint32_t offset = low - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(ram_));
    return offset + uint64_t{size} <= ram_bytes_ ? ram_ + offset : nullptr;
  }

  uint32_t Size(int number) {
    EXPECT_FALSE(dma_.has_value()) << "SIZE read while DMA runs";
    const auto& out = endpoints_[number].out;
    return out.has_value() ? static_cast<uint32_t>(out->size()) : 0;
  }

  static bool Within(uint32_t address, uint32_t first, uint32_t count) {
    return address >= first && address < first + 4 * count && (address - first) % 4 == 0;
  }

  // In usbd_model.cc.
  void StartDma(int number, bool in);
  void EndDma();
  uint32_t ReadNow(uint32_t address);
  uint32_t NvicPriority(uint32_t first);
  void WriteNow(uint32_t address, uint32_t value);
  void WriteEnable(uint32_t value);
  void WriteTask(uint32_t offset, uint32_t value);
  void WriteDma(uint32_t offset, uint32_t value);
  void WriteToggle(uint32_t value);

  uint8_t* ram_ = nullptr;
  size_t ram_bytes_ = 0;
  bool inside_ = false;

  bool vbus_ = false, output_ = false;
  int output_in_ = 0;
  uint32_t power_events_ = 0, power_inten_ = 0;

  bool enable_ = false, ready_ = false, pullup_ = false, suspended_ = false;
  int ready_in_ = 0;
  bool bus_reset_pending_ = false;
  bool after_reset_ = false;  // no SETUP since the reset
  bool stale_ = false;  // the driver does not know yet that the bus was reset or the cable pulled
  bool events_[kEventCount] = {};
  uint32_t inten_ = 0, cause_ = 0, data_status_ = 0;
  uint32_t in_enable_ = 1, out_enable_ = 1;
  uint32_t toggle_selected_ = 0;
  uint32_t core_address_ = 0;
  uint8_t setup_[8] = {};
  uint8_t address_ = 0;
  Control control_ = Control::kIdle;
  size_t taken0_ = 0;
  Endpoint endpoints_[kEndpoints];
  uint32_t pointers_[2][kEndpoints] = {}, counts_[2][kEndpoints] = {};
  std::optional<Dma> dma_;
  bool odd_ = false;

  bool unlocked_ = false;
  uint32_t errata171_ = 0, errata187_ = 0, errata199_ = 0;

  bool pending_ = false;
  uint32_t nvic_enable_[2] = {};
  uint8_t priorities_[64] = {};
};

}  // namespace kws

#endif  // KWS_TEST_BOARDS_NRF52840_USB_USBD_MODEL_H_
