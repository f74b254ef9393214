// SPDX-License-Identifier: Apache-2.0
// The board interface on the nRF52840. Differences between boards are in tables/.
#include "boards/board.h"

#include "boards/nrf52840/clock.h"
#include "boards/nrf52840/leds.h"
#include "boards/nrf52840/nrf52840.h"
#include "boards/nrf52840/tables/board_table.h"
#include "boards/nrf52840/usb/usb.h"
#include "boards/uart.h"

namespace kws {
namespace board {
namespace {

// The LED for listening is on for 120 ms per second. A few hops would not be visible, because hops
// that waited for an inference are processed within a moment.
constexpr uint32_t kBeatHops = 50;
constexpr uint32_t kBeatOnHops = 6;

bool samples_over_usb = false;

constexpr uint32_t kBlinkUs = 200 * 1000;  // on, and the same time off
constexpr uint32_t kPauseUs = 1000 * 1000;
constexpr uint32_t kRestartUs = 10 * 1000 * 1000;

// Newer chips lock the debug port at each reset until software confirms UICR's setting. As in
// Nordic's startup code: nrfx, mdk/system_nrf52_approtect.h.
void KeepDebugPort() {
  if (Register(kChipRevision) < kChipLocksAtReset) return;  // it has no such register
  Register(kDebugUnlock) = Register(kDebugSetting);
}

// Waits, and does the work of the interrupts in the meantime.
void Wait(uint32_t microseconds) {
  const uint32_t begin = Microseconds();
  while (Microseconds() - begin < microseconds) {
    UartService();
    if (table::kHasUsb) UsbService();
    Nap();
  }
}

}  // namespace

const char kName[] = KWS_BOARD;
const uint32_t kClockKhz = 64000;  // nRF52840 PS v1.1, 4: a Cortex-M4F at 64 MHz

void Init() {
  static bool done = false;
  if (done) return;
  done = true;
  // The bootloader may leave a clock running, and interrupts enabled, pending or blocked.
  Register(kRtc1Stop) = 1;
  for (uint32_t i = 0; i < 2; ++i) {
    Register(kNvicDisable + i * 4) = ~0u;
    Register(kNvicForget + i * 4) = ~0u;
  }
  KeepDebugPort();
  LedInit();
  ClockInit();
  UartInit();
  if (table::kHasUsb) UsbInit();
  asm volatile("cpsie i" ::: "memory");
  if (const char* fault = ResetFault()) WriteText(fault);
}

void Write(const char* text, size_t size) {
  if (table::kHasUsb) UsbWrite(text, size);
  UartWrite(text, size);
}

uint32_t ChooseSamplePort() {
  samples_over_usb = table::kHasUsb && UsbIsListening();
  return samples_over_usb ? 0 : kUartFastRate;
}

void SetFast(bool fast) { UartSetFast(fast); }

void WriteSamples(const char* text, size_t size) {
  (table::kHasUsb && samples_over_usb ? UsbWrite : UartWrite)(text, size);
}

size_t Read(char* text, size_t size) {
  const size_t count = UartRead(text, size);
  return count > 0 || !table::kHasUsb ? count : UsbRead(text, size);
}

void FeedWatchdog() {
  static uint32_t hop = 0;
  FeedWatchdogs();
  ShowListening(hop < kBeatOnHops);
  hop = (hop + 1) % kBeatHops;
}

void Halt(Fault fault) {
  asm volatile("cpsid i" ::: "memory");
  StopTimerWatchdog();
  ShowListening(false);
  const uint32_t begin = Microseconds();
  while (fault == Fault::kModel || Microseconds() - begin < kRestartUs) {
    for (int i = 0; i < static_cast<int>(fault); ++i) {
      ShowRed(true);
      Wait(kBlinkUs);
      ShowRed(false);
      Wait(kBlinkUs);
    }
    Wait(kPauseUs);
  }
  Restart();
}

}  // namespace board
}  // namespace kws

extern "C" void KwsPowerClockInterrupt() {
  if (kws::board::table::kHasUsb) kws::board::UsbPowerEvents();
}
