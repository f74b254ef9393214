// SPDX-License-Identifier: Apache-2.0
#include "boards/nrf52840/clock.h"

#include "boards/board.h"
#include "boards/elapsed.h"
#include "boards/nrf52840/nrf52840.h"
#include "boards/nrf52840/tables/board_table.h"
#include "serial/lines.h"

namespace kws {
namespace board {
namespace {

// TIMER0 counts microseconds. Its compare registers:
constexpr uint32_t kNow = 0 * 4;       // captured by Microseconds
constexpr uint32_t kWake = 1 * 4;      // the end of Sleep
constexpr uint32_t kDeadline = 2 * 4;  // of the main loop
constexpr uint32_t kTimerPriority = 0;

constexpr uint32_t kLongestSleepUs = 100 * 1000;
constexpr uint32_t kNapUs = 1000;

// Two watchdogs. The timer watchdog resets the board if the main loop hangs. The hardware watchdog
// is for faults that block even the most urgent interrupt. It cannot be stopped and keeps running
// after a soft reset, even in the bootloader, which does not feed it: its timeout must be long
// enough for an upload after the 1200 bps touch.
constexpr uint32_t kDeadlineUs = 4 * 1000 * 1000;
constexpr uint32_t kHardwareSeconds = 60;

// Written to GPREGRET2 by the timer watchdog, for the next start.
constexpr uint32_t kTimerWatchdogMark = 0x57;

// Maximum number of polls of the crystal, which starts in less than 1 ms [PS 5.4.4.3]; a poll takes
// about 0.2 us.
constexpr int kCrystalLooks = 100000;

const char* reset_fault = nullptr;
const char* reset_cause = "power";
Elapsed<1000> elapsed;    // of microseconds
uint32_t counted_us = 0;  // Microseconds() at the last count
Elapsed<1000> asleep;

void StartCrystal() {
  Register(kClockHfxoStarted) = 0;
  Register(kClockStartHfxo) = 1;
  for (int i = 0; i < kCrystalLooks && Register(kClockHfxoStarted) == 0; ++i) {
  }
}

void ReadResetReason() {
  uint32_t reason = Register(kPowerResetReason);
  Register(kPowerResetReason) = reason;  // otherwise the bits accumulate
  // Anomaly 136: after a pin reset other bits may be set too.
  if ((reason & kPowerResetPin) != 0) reason = kPowerResetPin;
  const bool timer = Register(kPowerRetained2) == kTimerWatchdogMark;
  Register(kPowerRetained2) = 0;
  if ((reason & kPowerResetSoftware) != 0) reset_cause = "software";
  if ((reason & kPowerResetPin) != 0) reset_cause = "pin";
  if (timer || (reason & kPowerResetWatchdog) != 0) {
    reset_cause = "watchdog";
    reset_fault = lines::kWatchdog;
  } else if ((reason & kPowerResetLockup) != 0) {
    reset_cause = "lockup";
    reset_fault = "error: a fault in the fault handler reset the board; the firmware has a bug\n";
  }
}

void StartTimer() {
  constexpr uint32_t k1MHz = 4;
  Register(kTimerBits) = kTimer32Bit;
  Register(kTimerPrescaler) = k1MHz;
  Register(kTimerValue + kDeadline) = kDeadlineUs;
  Register(kTimerEnableInterrupt) = kTimerInterrupt1 | kTimerInterrupt2;
  Register(kTimerStart) = 1;
  EnableInterrupt(kTimerInterrupt, kTimerPriority);
}

void FeedHardwareWatchdog() { Register(kWatchdogReload) = kWatchdogReloadKey; }

// No effect if it is already running, after a soft reset [PS 6.36].
void StartHardwareWatchdog() {
  Register(kWatchdogConfig) = kWatchdogInSleep;  // but not while a debugger halts the core
  Register(kWatchdogPeriod) = kHardwareSeconds * 32768 - 1;
  Register(kWatchdogRequests) = kWatchdogRequest0;
  Register(kWatchdogStart) = 1;
  FeedHardwareWatchdog();
}

}  // namespace

void ClockInit() {
  ReadResetReason();
  Register(kFlashCache) = kFlashCacheEnable;   // without it the core waits for the flash
  if (table::kDcDc) Register(kPowerDcDc) = 1;  // it halves the current of the core
  StartCrystal();
  StartTimer();
  StartHardwareWatchdog();
  Register(kSystemControl) |= kSendEventOnPend;
}

bool CrystalRuns() {
  constexpr uint32_t kBoth = kClockHfxoSource | kClockHfxoRunning;
  return (Register(kClockHfxoStatus) & kBoth) == kBoth;
}

const char* ResetCause() { return reset_cause; }

uint32_t Cycles() { return CountCycles(); }

const char* ResetFault() { return reset_fault; }

uint32_t Microseconds() {
  Register(kTimerCapture + kNow) = 1;
  return Register(kTimerValue + kNow);
}

uint32_t Milliseconds() {
  const uint32_t now = Microseconds();
  elapsed.Add(now - counted_us);
  counted_us = now;
  return elapsed.milliseconds();
}

uint32_t SleepMilliseconds() { return asleep.milliseconds(); }

// Interrupts are disabled around WFE, so that their time counts as work; with SEVONPEND a pending
// interrupt still ends the sleep. An earlier interrupt, since the last call, has set the event
// register (ARM DDI 0403E, B1.5.18), so that WFE returns at once.
void Sleep() {
  const InterruptsOff off;
  const uint32_t begin = Microseconds();
  Register(kTimerValue + kWake) = begin + kLongestSleepUs;
  // Anomaly 87: a set exception flag of the FPU keeps its interrupt pending and the core awake.
  asm volatile("vmsr fpscr, %0" ::"r"(0));
  Register(kNvicForget + kFpuInterrupt / 32 * 4) = 1u << kFpuInterrupt % 32;
  // Four cycles before interrupts are enabled: anomaly 220 of the nRF52832, which this chip may
  // share, corrupts the stack frame of an interrupt right after wake-up.
  asm volatile("dsb\n wfe\n nop\n nop\n nop\n nop" ::: "memory");
  asleep.Add(Microseconds() - begin);
}

void FeedWatchdogs() {
  Register(kTimerValue + kDeadline) = Microseconds() + kDeadlineUs;
  FeedHardwareWatchdog();
}

void StopTimerWatchdog() { Register(kTimerDisableInterrupt) = kTimerInterrupt2; }

// The timer's interrupt becomes pending, which ends WFE, but is not taken.
void Nap() {
  ClearEvent(kTimerReached + kWake);
  Register(kNvicForget + kTimerInterrupt / 32 * 4) = 1u << kTimerInterrupt % 32;
  Register(kTimerValue + kWake) = Microseconds() + kNapUs;
  asm volatile("dsb\n wfe" ::: "memory");
  FeedHardwareWatchdog();
}

void Restart() {
  asm volatile("dsb" ::: "memory");
  Register(kSystemReset) = kSystemResetRequest;
  for (;;) {
  }
}

}  // namespace board
}  // namespace kws

extern "C" void KwsTimerInterrupt() {
  using namespace kws::board;
  if (Register(kTimerReached + kDeadline) != 0) {
    Register(kPowerRetained2) = kTimerWatchdogMark;
    Restart();
  }
  ClearEvent(kTimerReached + kWake);
}
