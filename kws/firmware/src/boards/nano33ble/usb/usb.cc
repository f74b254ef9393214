#include "boards/nano33ble/usb/usb.h"

#include <atomic>

#include "boards/cortex_m.h"
#include "boards/nano33ble/usb/nrf52840_usbd.h"
#include "boards/nano33ble/usb/usb_descriptors.h"

namespace kws {
namespace board {
namespace {

// Text that waits for the host. A power of two; longer lines are dropped.
constexpr uint32_t kQueueBytes = 512;

// Opening a terminal raises DTR before it switches its echo off (Linux: open, then tcsetattr); what
// came at once would be echoed and taken for commands. So nothing is sent for so many frames of 1
// ms.
constexpr uint8_t kQuietFrames = 100;

// From the touch to the reset, so that the host sees its request answered.
constexpr uint8_t kTouchFrames = 20;

// A packet's DMA takes some microseconds, a look at its event about 0.1. Where it never ends (the
// cable was pulled in the middle), the port starts over.
constexpr int kDmaLooks = 2000;

// The bootloader stays instead of starting the firmware: DFU_MAGIC_SERIAL_ONLY_RESET, which
// Arduino's core for this board writes on the 1200 bps touch (arduino/ArduinoCore-mbed,
// variants/ARDUINO_NANO33BLE/pins_arduino.h and variant.cpp, _ontouch1200bps_).
constexpr uint32_t kStayInBootloader = 0xb0;

constexpr uint32_t kInterrupts =
    kUsbdIntReset | kUsbdIntDataDone0 | kUsbdIntEvent | kUsbdIntSetup0 | kUsbdIntData;

// USB 2.0 section 9.4, tables 9-4 and 9-6; PSTN 1.2 section 6.3.
enum Request : uint8_t {
  kGetStatus = 0,
  kClearFeature = 1,
  kSetFeature = 3,
  kSetAddress = 5,
  kGetDescriptor = 6,
  kGetConfiguration = 8,
  kSetConfiguration = 9,
  kGetInterface = 10,
  kSetInterface = 11,
  kSetLineCoding = 0x20,
  kGetLineCoding = 0x21,
  kSetControlLineState = 0x22,
  kSendBreak = 0x23,
};

// bmRequestType: direction, type, recipient.
constexpr uint8_t kToDevice = 0x00;
constexpr uint8_t kToInterface = 0x01;
constexpr uint8_t kToEndpoint = 0x02;
constexpr uint8_t kToClass = 0x21;
constexpr uint8_t kFromDevice = 0x80;

constexpr uint32_t kLineCodingBytes = 7;  // bits a second (4), stop bits, parity, data bits
constexpr uint8_t kDefaultLineCoding[kLineCodingBytes] = {0x00, 0xc2, 0x01, 0x00,
                                                          0,    0,    8};  // 115200

struct Setup {
  uint8_t type;
  uint8_t request;
  uint16_t value;
  uint16_t index;
  uint16_t length;
};

enum class Link : uint8_t { kOff, kStarting, kReady };
enum class Control : uint8_t { kIdle, kReply, kReceive };  // what endpoint 0 is in the middle of
enum class Answer : uint8_t { kRefuse, kDone, kReply, kReceive };

struct Usb {
  // Of the interrupt alone.
  Link link = Link::kOff;
  Control control = Control::kIdle;
  uint8_t configuration = 0;
  bool suspended = false;
  bool dtr = false;
  bool odd = false;          // the DMA has moved an odd number of bytes
  bool sending = false;      // a packet waits in the data endpoint for the host
  bool arrived = false;      // a packet of the host waits in the data endpoint
  bool full_packet = false;  // the last packet was full; an empty one has to end the transfer
  bool middle = false;       // the last byte sent was not a line's end
  bool end_line = false;     // it has to come first, after text was dropped
  uint8_t halted = 0;        // bit n: IN endpoint n; bit 4 + n: OUT
  uint8_t quiet_frames = 0;  // until sending may start
  uint8_t touch_frames = 0;  // until the reset into the bootloader
  uint8_t reply_at = 0;      // in reply
  uint8_t reply_left = 0;
  uint8_t line_coding[kLineCodingBytes] = {};

  // DMA reads and writes RAM only. Any address will do.
  uint8_t reply[kUsbConfigurationBytes] = {};
  uint8_t received[kUsbPacketBytes] = {};
  uint8_t queue[kQueueBytes] = {};
  uint8_t line_end = 0;  // '\n' from UsbInit on; a value here would put all of this into .data

  // Counters of bytes; they wrap. [read, complete) are lines to send, [complete, written) is one
  // that is not complete yet. `read` is the interrupt's, the others are the writer's.
  std::atomic<uint32_t> read{0};
  std::atomic<uint32_t> complete{0};
  uint32_t written = 0;
  uint32_t lost_lines = 0;
  bool dropping = false;  // to the end of this line

  // The interrupt sets both when the first is 0; the reader counts.
  std::atomic<uint8_t> received_left{0};
  uint8_t received_at = 0;

  std::atomic<bool> listening{false};
  std::atomic<bool> listened{false};  // somebody got text, once
  std::atomic<bool> removed{false};   // the cable was pulled; it may be back by now
};

Usb usb;

// Runs UsbService in USBD's interrupt, soon.
void Pend() { Register(kNvicPending + kUsbdInterrupt / 32 * 4) = 1u << kUsbdInterrupt % 32; }

bool Take(uint32_t event) {
  if (Register(event) == 0) return false;
  Register(event) = 0;
  return true;
}

void WriteLocked(uint32_t address, uint32_t value) {
  const bool locked = Register(kUsbdErrataLock) == 0;
  if (locked) Register(kUsbdErrataLock) = kUsbdErrataKey;
  Register(address) = value;
  if (locked) Register(kUsbdErrataLock) = kUsbdErrataKey;
}

// Whoever listened is gone: text for him is dropped.
void UpdateListening() {
  const bool now = usb.configuration != 0 && usb.dtr && !usb.suspended;
  if (now == usb.listening.load(std::memory_order_relaxed)) return;
  if (usb.listened.load(std::memory_order_relaxed)) {
    usb.read.store(usb.complete.load(std::memory_order_acquire), std::memory_order_release);
    usb.end_line = usb.middle;
    usb.full_packet = false;
  }
  usb.listening.store(now, std::memory_order_relaxed);
  usb.quiet_frames = now ? kQuietFrames : 0;
}

void UpdateInterrupts() {
  const bool counting = usb.quiet_frames > 0 || usb.touch_frames > 0;
  Register(kUsbdInten) = kInterrupts | (counting ? kUsbdIntSof : 0);
}

// Back to the state after power-on or a bus reset.
void Forget() {
  usb.control = Control::kIdle;
  usb.configuration = 0;
  usb.suspended = false;
  usb.dtr = false;
  usb.arrived = false;
  usb.halted = 0;
  usb.touch_frames = 0;
  for (uint32_t i = 0; i < kLineCodingBytes; ++i) usb.line_coding[i] = kDefaultLineCoding[i];
  UpdateListening();
}

bool Dma(uint32_t endpoint, bool in, const uint8_t* data, uint32_t size) {
  const uint32_t offset = endpoint * kUsbdDmaStep;
  const uint32_t end = (in ? kUsbdEndIn : kUsbdEndOut) + 4 * endpoint;
  Register((in ? kUsbdInPointer : kUsbdOutPointer) + offset) =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data));
  Register((in ? kUsbdInCount : kUsbdOutCount) + offset) = size;
  Register(end) = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // the data is in memory
  // Anomaly 199: without this, tasks that come during DMA are lost.
  Register(kUsbdErrata199) = 0x82;
  Register((in ? kUsbdTaskStartIn : kUsbdTaskStartOut) + 4 * endpoint) = 1;
  int looks = kDmaLooks;
  while (Register(end) == 0 && looks > 0) --looks;
  Register(end) = 0;
  Register(kUsbdErrata199) = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (size % 2 != 0) usb.odd = !usb.odd;
  if (looks > 0) return true;
  usb.odd = false;
  usb.removed.store(true, std::memory_order_relaxed);
  Pend();
  return false;
}

// A packet that waits for the host is forgotten. Neither a SETUP nor a disabled endpoint is known
// to do that.
void Disarm(uint32_t endpoint) {
  Register(kUsbdErrataCoreAddress) = endpoint == 0 ? 0x7b4 : 0x7b6 + 2 * (endpoint - 1);
  Register(kUsbdErrataCoreWindow) |= endpoint == 0 ? 1u << 2 : 1u << 1;
  static_cast<void>(static_cast<uint32_t>(Register(kUsbdErrataCoreWindow)));
}

void Disable() {
  usb.link = Link::kOff;
  Register(kUsbdInten) = 0;
  Register(kUsbdPullup) = 0;
  // After an odd number of bytes the next start can fail; Nordic's own driver evens it out
  // (nrfx_usbd.c, nrfx_usbd_disable).
  if (usb.odd) Dma(0, true, &usb.line_end, 1);
  usb.odd = false;
  Register(kUsbdEnable) = 0;
  WriteLocked(kUsbdErrata187, 0);
  Forget();
  usb.removed.store(false, std::memory_order_relaxed);
}

// [6.35.4] The rest follows when USBD says that it is ready.
void Enable() {
  usb.link = Link::kStarting;
  Register(kUsbdCause) = kUsbdCauseAll;
  constexpr uint32_t kEvents[] = {kUsbdReset, kUsbdDataDone0, kUsbdSof,
                                  kUsbdEvent, kUsbdSetup0,    kUsbdData};
  for (uint32_t event : kEvents) Register(event) = 0;  // of the last time
  Register(kUsbdInten) = kUsbdIntEvent;
  WriteLocked(kUsbdErrata187, 3);     // 187: USBD may not start; for 211 it stays until Disable
  WriteLocked(kUsbdErrata171, 0xc0);  // 171: USBD may not wake
  Register(kUsbdEnable) = 1;
}

// Starts and stops with the cable's 5 V. Looks at levels, so that events that came before the
// firmware ran do not matter.
void FollowPower() {
  const uint32_t supply = Register(kPowerUsbStatus);
  const bool powered = (supply & kPowerUsbVbus) != 0;
  const bool removed = Take(kPowerUsbRemoved) ||  // where no interrupt comes
                       usb.removed.load(std::memory_order_relaxed);
  usb.removed.store(false, std::memory_order_relaxed);
  if ((removed || !powered) && usb.link != Link::kOff) Disable();
  if (!powered) return;
  if (usb.link == Link::kOff) Enable();
  if (usb.link == Link::kStarting) {
    Register(kUsbdEvent) = 0;
    if ((Register(kUsbdCause) & kUsbdCauseReady) == 0) return;
    Register(kUsbdCause) = kUsbdCauseReady;
    WriteLocked(kUsbdErrata171, 0);
    usb.link = Link::kReady;
  }
  if ((supply & kPowerUsbOutput) != 0) Register(kUsbdPullup) = 1;
}

void OnBusReset() {
  Forget();
  Register(kUsbdSetup0) = 0;
  Register(kUsbdDataDone0) = 0;
  Register(kUsbdData) = 0;
  Register(kUsbdDataStatus) = ~0u;
  Disarm(0);
  Register(kUsbdInEnable) = 1;
  Register(kUsbdOutEnable) = 1;
}

void OnCause() {
  const uint32_t cause = Register(kUsbdCause) & kUsbdCauseAll;
  Register(kUsbdCause) = cause;
  if ((cause & kUsbdCauseSuspend) != 0) usb.suspended = true;
  if ((cause & kUsbdCauseResume) != 0) usb.suspended = false;
  UpdateListening();
}

// Endpoints of the configuration, from SETUP's wIndex: their bit in `halted`, 0 for endpoint 0, -1
// where there is none.
int HaltBit(uint16_t index) {
  if ((index & ~kUsbdDirectionIn) == 0) return 0;
  if (usb.configuration == 0) return -1;
  if (index == (kUsbdDirectionIn | kUsbNotifyEndpoint)) return 1 << kUsbNotifyEndpoint;
  if (index == (kUsbdDirectionIn | kUsbDataEndpoint)) return 1 << kUsbDataEndpoint;
  if (index == kUsbDataEndpoint) return 16 << kUsbDataEndpoint;
  return -1;
}

// The halt is over and the next packet is DATA0 (USB 2.0 section 9.4.5).
void ClearHalt(uint32_t endpoint) {
  Register(kUsbdToggle) = kUsbdToggleSelect | endpoint;
  Register(kUsbdToggle) = kUsbdToggleData0 | endpoint;
  Register(kUsbdStall) = endpoint;
  // The host may send; what it sent before is kept.
  if (endpoint == kUsbDataEndpoint && !usb.arrived) Register(kUsbdSizeOut + 4 * endpoint) = 0;
}

void StartEndpoints() {
  usb.halted = 0;
  ClearHalt(kUsbdDirectionIn | kUsbNotifyEndpoint);
  ClearHalt(kUsbdDirectionIn | kUsbDataEndpoint);
  ClearHalt(kUsbDataEndpoint);
}

void Configure(uint8_t configuration) {
  usb.configuration = configuration;
  usb.sending = false;
  usb.arrived = false;
  usb.full_packet = false;
  usb.dtr = false;
  Disarm(kUsbDataEndpoint);
  Register(kUsbdInEnable) = 1;
  Register(kUsbdOutEnable) = 1;
  if (configuration != 0) {
    Register(kUsbdInEnable) = 1 | 1u << kUsbNotifyEndpoint | 1u << kUsbDataEndpoint;
    Register(kUsbdOutEnable) = 1 | 1u << kUsbDataEndpoint;
    StartEndpoints();
  }
  UpdateListening();
}

// A rate of 1200 bits a second while DTR is low asks for the bootloader; Arduino's tools and
// `kws deploy` do that. What changes either within kTouchFrames takes it back.
void LookForTouch() {
  const uint8_t* rate = usb.line_coding;
  const uint32_t bits =
      rate[0] | rate[1] << 8 | rate[2] << 16 | static_cast<uint32_t>(rate[3]) << 24;
  usb.touch_frames = bits == 1200 && !usb.dtr ? kTouchFrames : 0;
}

void ResetIntoBootloader() {
  Register(kPowerRetained) = kStayInBootloader;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Register(kSystemReset) = kSystemResetRequest;
}

Setup ReadSetup() {
  const auto word = [](uint32_t low, uint32_t high) {
    return static_cast<uint16_t>(Register(low) | Register(high) << 8);
  };
  return {static_cast<uint8_t>(Register(kUsbdRequestType)),
          static_cast<uint8_t>(Register(kUsbdRequest)), word(kUsbdValueLow, kUsbdValueHigh),
          word(kUsbdIndexLow, kUsbdIndexHigh), word(kUsbdLengthLow, kUsbdLengthHigh)};
}

Answer Reply(const uint8_t* data, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) usb.reply[i] = data[i];
  usb.reply_left = static_cast<uint8_t>(size);
  return Answer::kReply;
}

Answer ReplyStatus(uint8_t bits) {
  const uint8_t status[2] = {bits, 0};
  return Reply(status, sizeof(status));
}

// No device qualifier and no other speed (USB 2.0 section 9.6.2): this is a full-speed device.
Answer ReplyDescriptor(const Setup& setup) {
  const uint8_t index = setup.value & 0xff;
  switch (setup.value >> 8) {
    case 1:
      return index == 0 ? Reply(kUsbDeviceDescriptor, kUsbDeviceBytes) : Answer::kRefuse;
    case 2:
      return index == 0 ? Reply(kUsbConfigurationDescriptor, kUsbConfigurationBytes)
                        : Answer::kRefuse;
    case 3: {
      const uint64_t serial =
          static_cast<uint64_t>(Register(kDeviceId + 4)) << 32 | Register(kDeviceId);
      static_assert(kUsbMaxStringBytes <= sizeof(usb.reply), "the reply holds every string");
      const size_t size = UsbStringDescriptor(index, serial, usb.reply);
      usb.reply_left = static_cast<uint8_t>(size);
      return size > 0 ? Answer::kReply : Answer::kRefuse;
    }
    default:
      return Answer::kRefuse;
  }
}

// To the device and its interfaces: USB 2.0 section 9.4. There is neither remote wake-up nor a test
// mode, so a device has no feature to set.
Answer AnswerDevice(const Setup& setup) {
  switch (setup.request) {
    case kGetStatus:
      return ReplyStatus(0);  // powered by the bus
    case kGetDescriptor:
      return ReplyDescriptor(setup);
    case kGetConfiguration:
      return Reply(&usb.configuration, 1);
    case kSetConfiguration:
      if (setup.value > 1 || setup.index != 0) return Answer::kRefuse;
      Configure(static_cast<uint8_t>(setup.value));
      return Answer::kDone;
    default:
      return Answer::kRefuse;
  }
}

Answer AnswerInterface(const Setup& setup) {
  if (usb.configuration == 0 || setup.index > kUsbDataInterface) return Answer::kRefuse;
  const uint8_t alternate = 0;
  switch (setup.request) {
    case kGetStatus:
      return ReplyStatus(0);
    case kGetInterface:
      return Reply(&alternate, 1);
    case kSetInterface:
      if (setup.value != 0) return Answer::kRefuse;
      if (setup.index == kUsbDataInterface) StartEndpoints();
      return Answer::kDone;
    default:
      return Answer::kRefuse;
  }
}

// The one feature of an endpoint is its halt. Endpoint 0 has none to set: a refusal ends by itself.
Answer AnswerEndpoint(const Setup& setup) {
  const int bit = HaltBit(setup.index);
  if (bit < 0) return Answer::kRefuse;
  if (setup.request == kGetStatus) return ReplyStatus((usb.halted & bit) != 0 ? 1 : 0);
  if (setup.value != 0) return Answer::kRefuse;
  if (setup.request == kClearFeature) {
    usb.halted &= static_cast<uint8_t>(~bit);
    if (bit != 0) ClearHalt(setup.index);
    return Answer::kDone;
  }
  if (setup.request == kSetFeature && bit != 0) {
    usb.halted |= static_cast<uint8_t>(bit);
    Register(kUsbdStall) = kUsbdStallOn | setup.index;
    return Answer::kDone;
  }
  return Answer::kRefuse;
}

// PSTN 1.2 section 6.3.
Answer AnswerClass(const Setup& setup) {
  if (usb.configuration == 0 || setup.index != kUsbControlInterface) return Answer::kRefuse;
  switch (setup.request) {
    case kSetLineCoding:
      return setup.length == kLineCodingBytes ? Answer::kReceive : Answer::kRefuse;
    case kGetLineCoding:
      return Reply(usb.line_coding, kLineCodingBytes);
    case kSetControlLineState:
      usb.dtr = (setup.value & 1) != 0;
      LookForTouch();
      UpdateListening();
      return Answer::kDone;
    case kSendBreak:
      return Answer::kDone;  // there is no line that could break
    default:
      return Answer::kRefuse;
  }
}

Answer Decide(const Setup& setup) {
  const uint8_t request = setup.request;
  const bool asks = request == kGetStatus || request == kGetDescriptor ||
                    request == kGetConfiguration || request == kGetInterface ||
                    request == kGetLineCoding;
  if (asks != ((setup.type & kFromDevice) != 0)) return Answer::kRefuse;
  if (!asks && request != kSetLineCoding && setup.length != 0) return Answer::kRefuse;
  switch (setup.type & ~kFromDevice) {
    case kToDevice:
      return AnswerDevice(setup);
    case kToInterface:
      return AnswerInterface(setup);
    case kToEndpoint:
      return AnswerEndpoint(setup);
    case kToClass:
      return AnswerClass(setup);
    default:
      return Answer::kRefuse;
  }
}

// The next packet of a reply. None is empty: no reply is a multiple of the packet's size.
void SendReply() {
  const uint32_t size = usb.reply_left < kUsbPacketBytes ? usb.reply_left : kUsbPacketBytes;
  Dma(0, true, usb.reply + usb.reply_at, size);
  usb.reply_at = static_cast<uint8_t>(usb.reply_at + size);
  usb.reply_left = static_cast<uint8_t>(usb.reply_left - size);
}

// [6.35.9] Until one of these tasks the host is held off.
void OnSetup() {
  const Setup setup = ReadSetup();
  // Whatever came before is over. A reply to it is overwritten by the next one or taken out.
  if (usb.control == Control::kReply && (setup.type & kFromDevice) == 0) Disarm(0);
  usb.control = Control::kIdle;
  usb.suspended = false;
  // USBD answers this one by itself.
  if (setup.type == kToDevice && setup.request == kSetAddress) return;
  switch (Decide(setup)) {
    case Answer::kRefuse:
      Register(kUsbdTaskStall0) = 1;
      break;
    case Answer::kReply:
      if (setup.length == 0) {
        Register(kUsbdTaskStatus0) = 1;
        break;
      }
      if (usb.reply_left > setup.length) usb.reply_left = static_cast<uint8_t>(setup.length);
      usb.reply_at = 0;
      usb.control = Control::kReply;
      SendReply();
      break;
    case Answer::kReceive:
      usb.control = Control::kReceive;
      Register(kUsbdTaskReceive0) = 1;
      break;
    case Answer::kDone:
      Register(kUsbdTaskStatus0) = 1;
      break;
  }
}

// The host took a packet of the reply, or sent the line coding.
void OnDataDone0() {
  if (usb.control == Control::kReply && usb.reply_left > 0) {
    SendReply();
    return;
  }
  if (usb.control == Control::kReceive) {
    const uint32_t size = Register(kUsbdSizeOut);
    if (size != kLineCodingBytes) {
      usb.control = Control::kIdle;
      Register(kUsbdTaskStall0) = 1;
      return;
    }
    if (!Dma(0, false, usb.reply, size)) return;
    for (uint32_t i = 0; i < kLineCodingBytes; ++i) usb.line_coding[i] = usb.reply[i];
    LookForTouch();
  }
  if (usb.control != Control::kIdle) Register(kUsbdTaskStatus0) = 1;
  usb.control = Control::kIdle;
}

void OnData() {
  const uint32_t status = Register(kUsbdDataStatus);
  Register(kUsbdDataStatus) = status;
  if (usb.configuration == 0) return;
  if ((status & 1u << kUsbDataEndpoint) != 0) usb.sending = false;
  if ((status & 1u << (16 + kUsbDataEndpoint)) != 0) usb.arrived = true;
}

void OnFrame() {
  if (usb.quiet_frames > 0) --usb.quiet_frames;
  if (usb.touch_frames > 0 && --usb.touch_frames == 0) ResetIntoBootloader();
}

// Takes the packet that waits, once the reader has emptied the buffer; so long the host is held
// off. The end of the DMA lets the next packet in [6.35.10].
void Receive() {
  if (!usb.arrived || usb.received_left.load(std::memory_order_acquire) > 0) return;
  usb.arrived = false;
  const uint32_t size = Register(kUsbdSizeOut + 4 * kUsbDataEndpoint);
  if (size == 0 || size > kUsbPacketBytes) {
    Register(kUsbdSizeOut + 4 * kUsbDataEndpoint) = 0;
    return;
  }
  if (!Dma(kUsbDataEndpoint, false, usb.received, size)) return;
  usb.received_at = 0;
  usb.received_left.store(static_cast<uint8_t>(size), std::memory_order_release);
}

void Send() {
  if (!usb.listening.load(std::memory_order_relaxed) || usb.sending || usb.quiet_frames > 0 ||
      (usb.halted & 1u << kUsbDataEndpoint) != 0) {
    return;
  }
  const uint32_t read = usb.read.load(std::memory_order_relaxed);
  const uint32_t at = read % kQueueBytes;
  uint32_t size = usb.complete.load(std::memory_order_acquire) - read;
  if (size == 0 && !usb.full_packet) return;
  usb.listened.store(true, std::memory_order_relaxed);
  const uint8_t* data = usb.queue + at;
  if (usb.end_line) {
    usb.end_line = false;
    data = &usb.line_end;
    if (!Dma(kUsbDataEndpoint, true, data, 1)) return;
    usb.middle = false;
    usb.sending = true;
    return;
  }
  if (size > kQueueBytes - at) size = kQueueBytes - at;
  if (size > kUsbPacketBytes) size = kUsbPacketBytes;
  if (!Dma(kUsbDataEndpoint, true, data, size)) return;
  if (size > 0) usb.middle = data[size - 1] != '\n';
  usb.full_packet = size == kUsbPacketBytes;
  usb.read.store(read + size, std::memory_order_release);
  usb.sending = true;
}

}  // namespace

void UsbInit() {
  usb.line_end = '\n';
  // What a bootloader left on is switched off, so that the host sees the firmware as a new device.
  Register(kUsbdPullup) = 0;
  Register(kUsbdEnable) = 0;
  Register(kPowerIntenSet) = kPowerIntUsb;
  Register(kNvicPriority + kPowerClockInterrupt / 4 * 4) |= 0xffu << kPowerClockInterrupt % 4 * 8;
  Register(kNvicPriority + kUsbdInterrupt / 4 * 4) |= 0xffu << kUsbdInterrupt % 4 * 8;
  Register(kNvicEnable + kPowerClockInterrupt / 32 * 4) = 1u << kPowerClockInterrupt % 32;
  Register(kNvicEnable + kUsbdInterrupt / 32 * 4) = 1u << kUsbdInterrupt % 32;
  Pend();
}

void UsbWrite(const char* text, size_t size) {
  bool ended = false;
  const bool wanted = usb.listening.load(std::memory_order_relaxed) ||
                      !usb.listened.load(std::memory_order_relaxed);
  for (size_t i = 0; i < size; ++i) {
    if (!wanted) usb.dropping = true;
    if (!usb.dropping && usb.written - usb.read.load(std::memory_order_acquire) == kQueueBytes) {
      usb.dropping = true;
      ++usb.lost_lines;
    }
    if (!usb.dropping) usb.queue[usb.written++ % kQueueBytes] = static_cast<uint8_t>(text[i]);
    if (text[i] != '\n') continue;
    if (usb.dropping) {
      usb.written = usb.complete.load(std::memory_order_relaxed);
    } else {
      usb.complete.store(usb.written, std::memory_order_release);
      ended = true;
    }
    usb.dropping = false;
  }
  if (ended) Pend();
}

size_t UsbRead(char* text, size_t size) {
  const size_t left = usb.received_left.load(std::memory_order_acquire);
  if (left == 0) return 0;
  if (size > left) size = left;
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(usb.received[usb.received_at++]);
  usb.received_left.store(static_cast<uint8_t>(left - size), std::memory_order_release);
  if (size == left) Pend();
  return size;
}

uint32_t UsbLostLines() { return usb.lost_lines; }

void UsbService() {
  FollowPower();
  if (usb.link != Link::kReady) return;
  // In the order of what undoes what: a reset ends transfers, a request ends the one before.
  for (;;) {
    if (Take(kUsbdReset)) {
      OnBusReset();
    } else if (Take(kUsbdEvent)) {
      OnCause();
    } else if (Take(kUsbdSetup0)) {
      Register(kUsbdDataDone0) = 0;
      OnSetup();
    } else if (Take(kUsbdDataDone0)) {
      OnDataDone0();
    } else if (Take(kUsbdData)) {
      OnData();
    } else if (Take(kUsbdSof)) {
      OnFrame();
    } else {
      break;
    }
    if (usb.removed.load(std::memory_order_relaxed)) return;
  }
  Receive();
  Send();
  UpdateInterrupts();
}

void UsbPowerEvents() {
  if (Take(kPowerUsbRemoved)) usb.removed.store(true, std::memory_order_relaxed);
  Register(kPowerUsbDetected) = 0;
  Register(kPowerUsbReady) = 0;
  Pend();
}

}  // namespace board
}  // namespace kws

extern "C" void KwsUsbdInterrupt() { kws::board::UsbService(); }
