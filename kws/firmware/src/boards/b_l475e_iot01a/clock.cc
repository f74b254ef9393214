// SPDX-License-Identifier: Apache-2.0
#include "boards/b_l475e_iot01a/clock.h"

#include "boards/b_l475e_iot01a/stm32l475.h"
#include "boards/board.h"
#include "boards/elapsed.h"

namespace kws {
namespace board {
namespace {

// The timer counts microseconds.
constexpr uint32_t kTimerDivisor = 80;
constexpr uint32_t kTimerPriority = 7;
constexpr uint32_t kLongestSleepUs = 100 * 1000;
constexpr uint32_t kNapUs = 1000;

// 2000 counts of 2 ms.
constexpr uint32_t kWatchdogCounts = 2000;

// Maximum number of polls until both values are applied, 5 cycles of the LSI (RM 36.4.4), a sixth
// of a millisecond; a poll takes a microsecond at the 4 MHz after a reset.
constexpr int kWatchdogLooks = 10000;

uint32_t reset_status = 0;
Elapsed<1000> elapsed;    // of microseconds
uint32_t counted_us = 0;  // Microseconds() at the last count
Elapsed<1000> asleep;

void WaitFor(uint32_t address, uint32_t mask, uint32_t value) {
  while ((Register(address) & mask) != value) {
  }
}

void StartWatchdog() {
  Register(kWatchdogKey) = kWatchdogStart;
  Register(kWatchdogKey) = kWatchdogUnlock;
  Register(kWatchdogPrescaler) = kWatchdogBy64;
  Register(kWatchdogCount) = kWatchdogCounts - 1;
  for (int i = 0; i < kWatchdogLooks && Register(kWatchdogStatus) != 0; ++i) {
  }
  RestartWatchdog();
}

// HSI, 16 MHz within 1 % (DS, HSI16), times 10, divided by 2. Before that, flash needs wait states:
// four above 64 MHz (RM 3.3.3, range 1).
void StartCore() {
  Register(kClockApb1) |= kClockPower;
  WaitFor(kClockApb1, kClockPower, kClockPower);
  Register(kPowerControl) = kPowerRange1;
  WaitFor(kPowerStatus, kPowerChanging, 0);
  constexpr uint32_t kAccess = kFlashWaits4 | kFlashPrefetch | kFlashCacheCode | kFlashCacheData;
  Register(kFlashAccess) = kAccess;
  WaitFor(kFlashAccess, kAccess, kAccess);

  Register(kClockControl) |= kClockHsiOn;
  WaitFor(kClockControl, kClockHsiReady, kClockHsiReady);
  Register(kClockPllConfig) = kClockPllFromHsi | kClockPllTimes10 | kClockPllDrivesCore;
  Register(kClockControl) |= kClockPllOn;
  WaitFor(kClockControl, kClockPllReady, kClockPllReady);
  Register(kClockConfig) = kClockUsePll;
  WaitFor(kClockConfig, kClockIsPll, kClockIsPll);
}

void StartTimer() {
  Register(kClockApb1) |= kClockTimer;
  WaitFor(kClockApb1, kClockTimer, kClockTimer);
  Register(kTimerPrescaler) = kTimerDivisor - 1;
  Register(kTimerEvents) = kTimerUpdate;
  Register(kTimerStatus) = 0;
  Register(kTimerInterrupts) = kTimerTellReached;
  Register(kTimerControl) = kTimerEnable;
  EnableInterrupt(kTimerInterrupt, kTimerPriority);
}

}  // namespace

const uint32_t kClockKhz = 80000;

void ClockInit() {
  reset_status = Register(kResetStatus);
  Register(kResetStatus) = kResetForget;  // otherwise the bits accumulate
  StartWatchdog();
  StartCore();
  StartTimer();
  Register(kSystemControl) |= kSendEventOnPend;
}

bool WasWatchdog() { return (reset_status & kResetWasWatchdog) != 0; }

const char* ResetCause() {
  if (WasWatchdog()) return "watchdog";
  if ((reset_status & kResetWasSoftware) != 0) return "software";
  if ((reset_status & kResetWasPower) != 0) return "power";
  return (reset_status & kResetWasPin) != 0 ? "pin" : "unknown";
}

uint32_t Cycles() { return CountCycles(); }

uint32_t Microseconds() { return Register(kTimerCount); }

uint32_t Milliseconds() {
  const uint32_t now = Microseconds();
  elapsed.Add(now - counted_us);
  counted_us = now;
  return elapsed.milliseconds();
}

uint32_t SleepMilliseconds() { return asleep.milliseconds(); }

void RestartWatchdog() { Register(kWatchdogKey) = kWatchdogReload; }

// Interrupts are disabled around WFE, so that their time counts as work; with SEVONPEND a pending
// interrupt still ends the sleep. An earlier interrupt, since the last call, has set the event
// register (ARM DDI 0403E, B1.5.18), so that WFE returns at once.
void Sleep() {
  const InterruptsOff off;
  const uint32_t begin = Microseconds();
  Register(kTimerCompare) = begin + kLongestSleepUs;
  asm volatile("dsb\n wfe" ::: "memory");
  asleep.Add(Microseconds() - begin);
}

// The timer's interrupt becomes pending, which ends WFE, but is not taken.
void Nap() {
  Register(kTimerStatus) = 0;
  Register(kNvicForget + kTimerInterrupt / 32 * 4) = 1u << kTimerInterrupt % 32;
  Register(kTimerCompare) = Microseconds() + kNapUs;
  asm volatile("dsb\n wfe" ::: "memory");
}

}  // namespace board
}  // namespace kws

extern "C" void KwsTimerInterrupt() {
  using namespace kws::board;
  Register(kTimerStatus) = ~kTimerReached;
}
