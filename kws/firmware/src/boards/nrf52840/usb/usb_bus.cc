// SPDX-License-Identifier: Apache-2.0
// Power, bus states and DMA of the USB port.
#include "boards/nrf52840/usb/usb_state.h"

namespace kws {
namespace board {
namespace {

// Frames of 1 ms before the first text. Opening a terminal raises DTR before its echo is switched
// off (Linux: open, then tcsetattr): text sent at once would be echoed and taken for commands.
constexpr uint8_t kQuietFrames = 100;

// Maximum number of polls of a DMA's event, about 0.1 us each; a packet takes some microseconds. If
// the DMA does not end (the cable was pulled), the port is restarted.
constexpr int kDmaLooks = 2000;

constexpr uint8_t kDefaultLineCoding[kLineCodingBytes] = {0x00, 0xc2, 0x01, 0x00,
                                                          0,    0,    8};  // 115200

void WriteLocked(uint32_t address, uint32_t value) {
  const bool locked = Register(kUsbdErrataLock) == 0;
  if (locked) Register(kUsbdErrataLock) = kUsbdErrataKey;
  Register(address) = value;
  if (locked) Register(kUsbdErrataLock) = kUsbdErrataKey;
}

// The state after power-on or a bus reset.
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

}  // namespace

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

void Disarm(uint32_t endpoint) {
  Register(kUsbdErrataCoreAddress) = endpoint == 0 ? 0x7b4 : 0x7b6 + 2 * (endpoint - 1);
  Register(kUsbdErrataCoreWindow) |= endpoint == 0 ? 1u << 2 : 1u << 1;
  static_cast<void>(static_cast<uint32_t>(Register(kUsbdErrataCoreWindow)));
}

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

namespace {

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

// [6.35.4] The rest follows when USBD signals that it is ready.
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

}  // namespace

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

}  // namespace board
}  // namespace kws
