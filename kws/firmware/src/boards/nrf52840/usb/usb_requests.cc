// SPDX-License-Identifier: Apache-2.0
// The requests of endpoint 0: USB 2.0 chapter 9, and the serial port's class.
#include "boards/nrf52840/usb/usb_state.h"

namespace kws {
namespace board {
namespace {

// Frames from the touch to the reset, so that the host receives the answer to its request.
constexpr uint8_t kTouchFrames = 20;

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

struct Setup {
  uint8_t type;
  uint8_t request;
  uint16_t value;
  uint16_t index;
  uint16_t length;
};

enum class Answer : uint8_t { kRefuse, kDone, kReply, kReceive };

// An endpoint's bit in `halted`, from SETUP's wIndex; 0 for endpoint 0, -1 if it does not exist.
int HaltBit(uint16_t index) {
  if ((index & ~kUsbdDirectionIn) == 0) return 0;
  if (usb.configuration == 0) return -1;
  if (index == (kUsbdDirectionIn | kUsbNotifyEndpoint)) return 1 << kUsbNotifyEndpoint;
  if (index == (kUsbdDirectionIn | kUsbDataEndpoint)) return 1 << kUsbDataEndpoint;
  if (index == kUsbDataEndpoint) return 16 << kUsbDataEndpoint;
  return -1;
}

// Ends the halt; the next packet is DATA0 (USB 2.0 section 9.4.5).
void ClearHalt(uint32_t endpoint) {
  Register(kUsbdToggle) = kUsbdToggleSelect | endpoint;
  Register(kUsbdToggle) = kUsbdToggleData0 | endpoint;
  Register(kUsbdStall) = endpoint;
  // The host may send; received data is kept.
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

// A rate of 1200 bit/s while DTR is low requests the bootloader, as Arduino's tools and `kws
// deploy` do. A change of either within kTouchFrames cancels it.
void LookForTouch() {
  const uint8_t* rate = usb.line_coding;
  const uint32_t bits =
      rate[0] | rate[1] << 8 | rate[2] << 16 | static_cast<uint32_t>(rate[3]) << 24;
  usb.touch_frames = bits == 1200 && !usb.dtr ? kTouchFrames : 0;
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

// Requests to the device and its interfaces: USB 2.0 section 9.4. The device has no features:
// neither remote wake-up nor a test mode.
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

// An endpoint's only feature is its halt. Endpoint 0 has none, since a stall ends by itself.
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
      return Answer::kDone;  // a break has no effect
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

// The next packet of a reply. No empty packet is needed: no reply is a multiple of the packet size.
void SendReply() {
  const uint32_t size = usb.reply_left < kUsbPacketBytes ? usb.reply_left : kUsbPacketBytes;
  Dma(0, true, usb.reply + usb.reply_at, size);
  usb.reply_at = static_cast<uint8_t>(usb.reply_at + size);
  usb.reply_left = static_cast<uint8_t>(usb.reply_left - size);
}

}  // namespace

// [6.35.9] The host has to wait until one of these tasks.
void OnSetup() {
  const Setup setup = ReadSetup();
  // Ends the previous request; its reply is overwritten by the next or removed.
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

}  // namespace board
}  // namespace kws
