// SPDX-License-Identifier: Apache-2.0
#include "boards/rpi_pico/clock.h"

#include "boards/board.h"
#include "boards/elapsed.h"
#include "boards/rpi_pico/rp2040.h"

namespace kws {
namespace board {
namespace {

// 12 MHz * 133 = 1596 MHz, which has to be 750 to 1600 MHz; / 6 / 2 = 133 MHz, the chip's maximum.
constexpr uint32_t kCrystalHz = 12000000;
constexpr uint32_t kFactor = 133;
constexpr uint32_t kFirstDivisor = 6;
constexpr uint32_t kSecondDivisor = 2;
static_assert(kCrystalHz / (kFirstDivisor * kSecondDivisor) * kFactor == kSystemHz, "");

// 6 ms, in 256 cycles of the crystal (DS 2.16.3 has 1 ms for a typical one).
constexpr uint32_t kCrystalStart = 282;

// The watchdog counts down twice per microsecond (DS, erratum RP2040-E1).
constexpr uint32_t kWatchdogUs = 4000 * 1000;

constexpr uint32_t kTimerPriority = 6;
constexpr uint32_t kLongestSleepUs = 100 * 1000;
constexpr uint32_t kNapUs = 1000;

bool was_watchdog = false;
const char* cause = "unknown";
Elapsed<1000> elapsed;    // of microseconds
uint32_t counted_us = 0;  // Microseconds() at the last count
Elapsed<1000> asleep;
uint32_t asleep_us = 0;

void WaitFor(uint32_t address, uint32_t mask, uint32_t value) {
  while ((Register(address) & mask) != value) {
  }
}

void ReadCause() {
  const uint32_t reason = Register(kWatchdogReason);
  const uint32_t chip = Register(kChipReset);
  was_watchdog = (reason & kWatchdogReasonTime) != 0;
  if (was_watchdog) {
    cause = "watchdog";
  } else if ((reason & kWatchdogReasonForce) != 0) {
    cause = "software";
  } else if ((chip & kChipResetWasPin) != 0) {
    cause = "pin";
  } else if ((chip & kChipResetWasPower) != 0) {
    cause = "power";
  }
}

// Until the crystal runs, its tick comes from the ring oscillator: 1 to 12 MHz / 12, so 4 s are
// between 4 s and a minute.
void StartWatchdog() {
  Register(kTick) = kTickCycles12 | kTickEnable;
  Register(kWatchdogResets) = kWatchdogResetsAll;
  Register(kWatchdogLoad) = 2 * kWatchdogUs;
  Register(kWatchdogControl + kSetBits) = kWatchdogEnable;  // paused by a debugger's halt
}

void StartCore() {
  Register(kCrystalStartup) = kCrystalStart;
  Register(kCrystalControl) = kCrystal1To15Mhz | kCrystalEnable;
  WaitFor(kCrystalStatus, kCrystalStable, kCrystalStable);
  // The core must not run from the PLL while that is set up; after a reset it does not, but a
  // debugger may have started the firmware.
  Register(kCoreControl + kClearBits) = kCoreAuxiliary;
  WaitFor(kCoreSelected, ~0u, kCoreIsReference);
  Register(kReferenceControl) = kReferenceCrystal;
  WaitFor(kReferenceSelected, ~0u, kReferenceIsCrystal);

  Register(kReset + kSetBits) = kResetPll;
  StartPeripherals(kResetPll);
  Register(kPllControl) = kPllReference1;
  Register(kPllFactor) = kFactor;
  Register(kPllPower + kClearBits) = kPllOff | kPllOscillatorOff;
  WaitFor(kPllControl, kPllLocked, kPllLocked);
  Register(kPllDividers) = kFirstDivisor * kPllFirst1 | kSecondDivisor * kPllSecond1;
  Register(kPllPower + kClearBits) = kPllDividersOff;

  Register(kCoreControl) = 0;
  Register(kCoreControl) = kCoreAuxiliary;
  WaitFor(kCoreSelected, ~0u, kCoreIsAuxiliary);
  Register(kPeripheralControl) = kPeripheralEnable;
}

void StartTimer() {
  Register(kReset + kSetBits) = kResetTimer;
  StartPeripherals(kResetTimer);
  Register(kTimerInterrupts) = kTimerTellReached;
  EnableInterrupt(kTimerInterrupt, kTimerPriority);
}

}  // namespace

const uint32_t kClockKhz = kSystemHz / 1000;

void StartPeripherals(uint32_t bits) {
  Register(kReset + kClearBits) = bits;
  WaitFor(kResetDone, bits, bits);
}

void ClockInit() {
  ReadCause();
  StartWatchdog();
  StartCore();
  StartTimer();
  RestartWatchdog();
  Register(kSystemControl) |= kSendEventOnPend;
}

bool WasWatchdog() { return was_watchdog; }

const char* ResetCause() { return cause; }

// The core has no counter of its own. Sleep counts whole microseconds.
uint32_t Cycles() { return (Microseconds() - asleep_us) * (kSystemHz / 1000000); }

uint32_t Microseconds() { return Register(kTimerCount); }

uint32_t Milliseconds() {
  const uint32_t now = Microseconds();
  elapsed.Add(now - counted_us);
  counted_us = now;
  return elapsed.milliseconds();
}

uint32_t SleepMilliseconds() { return asleep.milliseconds(); }

void RestartWatchdog() { Register(kWatchdogLoad) = 2 * kWatchdogUs; }

void Restart() {
  asm volatile("dsb" ::: "memory");
  Register(kWatchdogControl + kSetBits) = kWatchdogTrigger;
  for (;;) {
  }
}

// Interrupts are disabled around WFE, so that their time counts as work; with SEVONPEND a pending
// interrupt still ends the sleep. An earlier interrupt, since the last call, has set the event
// register (ARM DDI 0419E, B1.5.18), so that WFE returns at once.
void Sleep() {
  const InterruptsOff off;
  const uint32_t begin = Microseconds();
  Register(kTimerAlarm) = begin + kLongestSleepUs;
  asm volatile("dsb\n wfe" ::: "memory");
  const uint32_t slept = Microseconds() - begin;
  asleep.Add(slept);
  asleep_us += slept;
}

// The timer's interrupt becomes pending, which ends WFE, but is not taken.
void Nap() {
  Register(kTimerStatus) = kTimerReached;
  Register(kNvicForget) = 1u << kTimerInterrupt;
  Register(kTimerAlarm) = Microseconds() + kNapUs;
  asm volatile("dsb\n wfe" ::: "memory");
}

}  // namespace board
}  // namespace kws

extern "C" void KwsTimerInterrupt() {
  using namespace kws::board;
  Register(kTimerStatus) = kTimerReached;
}
