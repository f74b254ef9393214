// SPDX-License-Identifier: Apache-2.0
#include "boards/nrf52840/usb/usb.h"

#include "boards/nrf52840/tables/board_table.h"
#include "boards/nrf52840/usb/usb_state.h"

namespace kws {
namespace board {

Usb usb;

namespace {

constexpr uint32_t kInterrupts =
    kUsbdIntReset | kUsbdIntDataDone0 | kUsbdIntEvent | kUsbdIntSetup0 | kUsbdIntData;

void UpdateInterrupts() {
  const bool counting = usb.quiet_frames > 0 || usb.touch_frames > 0;
  Register(kUsbdInten) = kInterrupts | (counting ? kUsbdIntSof : 0);
}

void ResetIntoBootloader() {
  Register(kPowerRetained) = table::kStayInBootloader;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Register(kSystemReset) = kSystemResetRequest;
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

// Takes the waiting packet after the reader has emptied the buffer; until then the host has to
// wait. The end of the DMA admits the next packet [6.35.10].
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
  // Switches USBD off if a bootloader left it on, so that the host sees the firmware as a new
  // device.
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

bool UsbIsListening() { return usb.listening.load(std::memory_order_relaxed); }

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
  // In this order, because a reset ends transfers, and a request ends the previous request.
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
