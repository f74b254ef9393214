// The nRF52840's USB device peripheral as its registers show it, for tests on the host, with the
// cable and the bus behind it. Written from the Product Specification (PS) v1.7, section 6.35, and
// the errata document. It checks what the driver does: whatever the PS forbids fails the test.
//
// What the PS leaves open is decided here, for the worse: a packet that waits in an IN endpoint
// survives a bus reset, a halt, the end of its endpoint and, on endpoint 0, a new SETUP.
#ifndef KWS_TEST_BOARDS_NANO33BLE_USB_USBD_MODEL_H_
#define KWS_TEST_BOARDS_NANO33BLE_USB_USBD_MODEL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kws {

using Bytes = std::vector<uint8_t>;

// What a token of the host gets.
enum class Handshake { kNothing, kAck, kNak, kStall };

class UsbdModel {
 public:
  static constexpr uint32_t kBase = 0x40027000;
  static constexpr int kEndpoints = 8;

  // Where the driver's buffers may be; the low halves of addresses are what registers hold.
  void SetRam(const void* begin, size_t bytes) {
    ram_ = static_cast<uint8_t*>(const_cast<void*>(begin));
    ram_bytes_ = bytes;
  }

  // Called before each access of the driver, never while the host is at work.
  std::function<void()> on_access;

  // Accesses that a DMA and the start take, and whether DMA never ends.
  int dma_accesses = 3;
  int start_accesses = 20;
  bool dma_hangs = false;
  bool dma_needs_power = false;  // it hangs without the cable; the PS does not say

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
  // The core enters the handler: what software set pending is served.
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

  // USBEVENT comes for something else than the driver waits for.
  void OtherCause() { Cause(1u << 10); }

  // Time passes that no access measures.
  void Wait() {
    for (int i = 0; i < 1000; ++i) Tick();
  }

  bool vbus() const { return vbus_; }
  bool attached() const { return vbus_ && ready_ && pullup_; }
  bool suspended() const { return suspended_; }
  // No SETUP waits for the driver's answer.
  bool control_idle() const { return control_ == Control::kIdle; }
  // The driver has not heard of the last bus reset yet; a host waits 10 ms (USB 2.0 7.1.7.5).
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
    if (toggle != endpoint.out_toggle) return Handshake::kAck;  // it came already
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

  // Endpoint 0: idle, the driver has to decide, data to the host waits or is through, data may come
  // or has come, status, refused.
  enum class Control { kIdle, kDecide, kIn, kInTaken, kOutOpen, kOutFull, kStatus, kStall };

  struct Endpoint {
    std::optional<Bytes> in, out;  // what waits
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

  // Rules that hold only while the driver knows what happened on the bus.
  void Rule(bool holds, const char* what) { EXPECT_TRUE(stale_ || holds) << what; }

  void StartDma(int number, bool in) {
    ASSERT_FALSE(dma_.has_value()) << "a second DMA was started";
    Rule(ready_, "DMA before USBD is ready");
    EXPECT_EQ(errata199_, 0x82u) << "DMA without the workaround of anomaly 199";
    const uint32_t size = counts_[in][number];
    EXPECT_LE(size, 64u);
    ASSERT_NE(Memory(pointers_[in][number], size), nullptr) << "DMA outside of the driver's RAM";
    Endpoint& endpoint = endpoints_[number];
    if (number == 0 && in) {
      const bool even_out = !pullup_;  // the one byte before USBD is switched off
      const bool wanted =
          asks0() && (control_ == Control::kDecide || control_ == Control::kInTaken);
      Rule(even_out || wanted, "data for the host that it did not ask for");
      Rule(even_out || taken0_ + size <= length0(), "more data than the host asked for");
    } else if (number == 0) {
      Rule(control_ == Control::kOutFull, "no data has come on endpoint 0");
    } else if (in) {
      Rule((in_enable_ & 1u << number) != 0, "DMA for a disabled endpoint");
      Rule(!endpoint.in_stalled, "DMA for a halted endpoint");
      Rule(!endpoint.in.has_value(), "a packet that waits for the host was overwritten");
    } else {
      Rule((out_enable_ & 1u << number) != 0, "DMA for a disabled endpoint");
      Rule(endpoint.out.has_value(), "no packet has come");
      Rule(!endpoint.out.has_value() || size == endpoint.out->size(), "a packet was cut");
    }
    dma_ = Dma{number, in, dma_accesses};
    if (dma_accesses == 0) EndDma();
  }

  void EndDma() {
    const Dma dma = *dma_;
    dma_.reset();
    Endpoint& endpoint = endpoints_[dma.number];
    const uint32_t size = counts_[dma.in][dma.number];
    uint8_t* memory = Memory(pointers_[dma.in][dma.number], size);
    events_[(dma.in ? kEndIn0 : kEndOut0) + dma.number] = true;
    odd_ = odd_ != (size % 2 != 0);
    if (dma.in) {
      const Bytes data(memory, memory + size);
      if (dma.number == 0) {
        if (!pullup_ || (control_ != Control::kDecide && control_ != Control::kInTaken)) return;
        endpoint.in = data;
        control_ = Control::kIn;
      } else if ((in_enable_ & 1u << dma.number) != 0) {
        endpoint.in = data;
      }
      return;
    }
    if (!endpoint.out.has_value()) return;
    for (uint32_t i = 0; i < size && i < endpoint.out->size(); ++i) memory[i] = (*endpoint.out)[i];
    if (dma.number != 0) {
      endpoint.out.reset();
      endpoint.accepting = true;
    }
  }

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

  uint32_t ReadNow(uint32_t address) {
    const uint32_t offset = address - kBase;
    if (Within(offset, 0x100, kEventCount)) return events_[(offset - 0x100) / 4];
    if (Within(offset, 0x480, 8)) {
      Rule(ready_, "SETUP registers before USBD is ready");
      return setup_[(offset - 0x480) / 4];
    }
    if (Within(offset, 0x4a0, kEndpoints)) return Size(static_cast<int>(offset - 0x4a0) / 4);
    switch (address) {
      case kBase + 0x300:
        return inten_;
      case kBase + 0x400:
        return cause_;
      case kBase + 0x46c:
        return data_status_;
      case kBase + 0x500:
        return enable_;
      case kBase + 0x504:
        return pullup_;
      case kBase + 0x510:
        return in_enable_;
      case kBase + 0x514:
        return out_enable_;
      case kBase + 0x804:
        return 0;
      case 0x4006ec00:
        return unlocked_;
      case 0x4000011c:
        return (power_events_ & kDetected) != 0;
      case 0x40000120:
        return (power_events_ & kRemoved) != 0;
      case 0x40000124:
        return (power_events_ & kPowerReady) != 0;
      case 0x40000438:
        return static_cast<uint32_t>(vbus_) | static_cast<uint32_t>(output_) << 1;
      case 0x10000060:
        return 0x89abcdef;
      case 0x10000064:
        return 0x01234567;
      default:
        break;
    }
    if (Within(address, 0xe000e400, 16)) return NvicPriority(address - 0xe000e400);
    ADD_FAILURE() << "read of register 0x" << std::hex << address;
    return 0;
  }

  uint32_t NvicPriority(uint32_t first) {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4; ++i) word |= uint32_t{priorities_[first + i]} << 8 * i;
    return word;
  }

  void WriteNow(uint32_t address, uint32_t value) {
    const uint32_t offset = address - kBase;
    if (offset < 0x100) return WriteTask(offset, value);
    if (Within(offset, 0x100, kEventCount)) {
      EXPECT_EQ(value, 0u) << "an event was set by software";
      events_[(offset - 0x100) / 4] = false;
      if (offset == 0x100) {
        bus_reset_pending_ = false;
        stale_ = !ready_;
      }
      return;
    }
    if (Within(offset, 0x4a0, kEndpoints)) {
      Endpoint& endpoint = endpoints_[(offset - 0x4a0) / 4];
      Rule(!endpoint.out.has_value() || endpoint.out->empty(),
           "a packet that came was thrown away");
      endpoint.out.reset();
      endpoint.accepting = true;
      return;
    }
    if (offset >= 0x600 && offset < 0x800) return WriteDma(offset, value);
    if (Within(address, 0xe000e400, 16)) {
      for (int i = 0; i < 4; ++i) {
        priorities_[address - 0xe000e400 + i] = static_cast<uint8_t>(value >> 8 * i) & 0xe0;
      }
      return;
    }
    switch (address) {
      case kBase + 0x300:
        EXPECT_EQ(value >> kEventCount, 0u) << "reserved bits of INTEN";
        inten_ = value;
        return;
      case kBase + 0x400:
        cause_ &= ~value;
        return;
      case kBase + 0x46c:
        data_status_ &= ~value;
        return;
      case kBase + 0x500:
        return WriteEnable(value);
      case kBase + 0x504:
        EXPECT_LE(value, 1u);
        if (value == 1) {
          Rule(ready_ && (cause_ & 1u << 11) == 0, "pull-up before USBD is ready");
          Rule(output_, "pull-up before its supply is there");
          Rule(errata171_ == 0, "anomaly 171's switch left on");
        }
        pullup_ = value == 1;
        if (!pullup_) ResetEndpoints();
        return;
      case kBase + 0x50c:
        return WriteToggle(value);
      case kBase + 0x510:
        Rule(ready_, "EPINEN before USBD is ready");
        EXPECT_EQ(value & ~0x1ffu, 0u);
        in_enable_ = value;
        return;
      case kBase + 0x514:
        Rule(ready_, "EPOUTEN before USBD is ready");
        EXPECT_EQ(value & ~0x1ffu, 0u);
        for (int i = 1; i < kEndpoints; ++i) {
          if ((value & 1u << i) != 0) continue;
          endpoints_[i].out.reset();
          endpoints_[i].accepting = false;
        }
        out_enable_ = value;
        return;
      case kBase + 0x518: {
        Rule(ready_, "EPSTALL before USBD is ready");
        EXPECT_EQ(value & ~0x187u, 0u);
        EXPECT_NE(value & 7, 0u) << "endpoint 0 is stalled by its task";
        Endpoint& endpoint = endpoints_[value & 7];
        ((value & 0x80) != 0 ? endpoint.in_stalled : endpoint.out_stalled) = (value & 0x100) != 0;
        return;
      }
      case kBase + 0x800:
        core_address_ = value;
        return;
      case kBase + 0x804:
        if (core_address_ == 0x7b4 && (value & 4) != 0) endpoints_[0].in.reset();
        for (uint32_t i = 1; i < kEndpoints; ++i) {
          if (core_address_ == 0x7b4 + 2 * i && (value & 2) != 0) endpoints_[i].in.reset();
        }
        return;
      case kBase + 0xc1c:
        EXPECT_TRUE(value == 0 || value == 0x82);
        errata199_ = value;
        return;
      case 0x4006ec00:
        EXPECT_EQ(value, 0x9375u);
        unlocked_ = !unlocked_;
        return;
      case 0x4006ec14:
        EXPECT_TRUE(unlocked_);
        errata171_ = value;
        return;
      case 0x4006ed14:
        EXPECT_TRUE(unlocked_);
        errata187_ = value;
        return;
      case 0x4000011c:
      case 0x40000120:
      case 0x40000124:
        EXPECT_EQ(value, 0u);
        power_events_ &= ~(kDetected << (address - 0x4000011c) / 4);
        return;
      case 0x40000304:
        power_inten_ |= value;
        return;
      case 0x4000051c:
        retained = value;
        return;
      case 0xe000e100:
      case 0xe000e104:
        nvic_enable_[(address - 0xe000e100) / 4] |= value;
        return;
      case 0xe000e204:
        EXPECT_EQ(value, 1u << 7);
        pending_ = true;
        return;
      case 0xe000ed0c:
        EXPECT_EQ(value, 0x05fa0004u);
        chip_reset = true;
        return;
      default:
        ADD_FAILURE() << "write of register 0x" << std::hex << address;
    }
  }

  void WriteEnable(uint32_t value) {
    EXPECT_LE(value, 1u);
    if (value == 1 && !enable_) {
      EXPECT_EQ(errata187_, 3u) << "anomaly 187";
      EXPECT_EQ(errata171_, 0xc0u) << "anomaly 171";
      EXPECT_EQ(cause_ & 1u << 11, 0u) << "READY of the last time not cleared";
      ready_in_ = start_accesses;
      stale_ = false;
    }
    if (value == 0) {
      // Known to Nordic's driver alone (nrfx_usbd.c): the next start can fail otherwise.
      EXPECT_FALSE(odd_ && !dma_.has_value() && DmaRuns()) << "DMA moved an odd number of bytes";
      odd_ = false;
      ready_ = false;
      ready_in_ = 0;
      dma_.reset();
      bus_reset_pending_ = false;
      ResetEndpoints();
      for (Endpoint& endpoint : endpoints_) endpoint = Endpoint();
    }
    enable_ = value == 1;
  }

  void WriteTask(uint32_t offset, uint32_t value) {
    EXPECT_EQ(value, 1u);
    Rule(ready_, "a task before USBD is ready");
    if (Within(offset, 0x004, kEndpoints)) return StartDma((offset - 0x004) / 4, true);
    if (Within(offset, 0x028, kEndpoints)) return StartDma((offset - 0x028) / 4, false);
    EXPECT_FALSE(dma_.has_value()) << "a task while DMA runs is lost";
    Rule(!IsSetAddress(), "USBD answers SET_ADDRESS by itself");
    switch (offset) {
      case 0x04c:
        Rule(control_ == Control::kDecide && !asks0() && length0() > 0, "EP0RCVOUT out of turn");
        control_ = Control::kOutOpen;
        return;
      case 0x050:
        Rule(asks0() ? control_ == Control::kInTaken
                     : control_ == (length0() > 0 ? Control::kOutFull : Control::kDecide),
             "EP0STATUS out of turn");
        control_ = Control::kStatus;
        return;
      case 0x054:
        Rule(control_ == Control::kDecide || control_ == Control::kOutFull, "EP0STALL out of turn");
        control_ = Control::kStall;
        return;
      default:
        ADD_FAILURE() << "task 0x" << std::hex << offset;
    }
  }

  // EPIN[n] at 0x600, EPOUT[n] at 0x700: PTR, MAXCNT, each 0x14.
  void WriteDma(uint32_t offset, uint32_t value) {
    const bool in = offset < 0x700;
    const uint32_t inside = offset & 0xff;
    const uint32_t number = inside / 0x14;
    EXPECT_FALSE(dma_.has_value()) << "DMA's registers changed while it runs";
    ASSERT_LT(number, 8u);
    if (inside % 0x14 == 0) {
      pointers_[in][number] = value;
    } else if (inside % 0x14 == 4) {
      counts_[in][number] = value;
    } else {
      ADD_FAILURE() << "write of register 0x" << std::hex << kBase + offset;
    }
  }

  void WriteToggle(uint32_t value) {
    Rule(ready_, "DTOGGLE before USBD is ready");
    EXPECT_EQ(value & ~0x387u, 0u);
    Endpoint& endpoint = endpoints_[value & 7];
    const uint32_t wanted = value >> 8;
    if (wanted != 0) {
      Rule(toggle_selected_ == (value & 0x87), "DTOGGLE of an endpoint that was not selected");
      ((value & 0x80) != 0 ? endpoint.in_toggle : endpoint.out_toggle) = wanted == 2;
    }
    toggle_selected_ = value & 0x87;
  }

  uint8_t* ram_ = nullptr;
  size_t ram_bytes_ = 0;
  bool inside_ = false;

  bool vbus_ = false, output_ = false;
  int output_in_ = 0;
  uint32_t power_events_ = 0, power_inten_ = 0;

  bool enable_ = false, ready_ = false, pullup_ = false, suspended_ = false;
  int ready_in_ = 0;
  bool bus_reset_pending_ = false;
  bool after_reset_ = false;  // no SETUP since
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

#endif  // KWS_TEST_BOARDS_NANO33BLE_USB_USBD_MODEL_H_
