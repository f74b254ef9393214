// SPDX-License-Identifier: Apache-2.0
// SparkFun Edge: LEDs, time, sleep and watchdog. Microphones and serial port are in other files.
#include "boards/board.h"

#include "boards/elapsed.h"
#include "boards/sparkfun_edge/apollo3.h"
#include "boards/uart.h"
#include "serial/lines.h"

namespace kws {
namespace board {
namespace {

// Pins from 32 on, active high. Source: SparkFun_Apollo3_AmbiqSuite_BSPs, edge/bsp/bsp_pins.src.
constexpr uint32_t kBlue = 1u << (37 - 32);
constexpr uint32_t kGreen = 1u << (44 - 32);
constexpr uint32_t kRed = 1u << (46 - 32);
constexpr uint32_t kYellow = 1u << (47 - 32);
constexpr uint32_t kLabels = kGreen | kRed | kYellow;

// Silence, unknown, then the keywords, repeated cyclically.
constexpr uint32_t kPatterns[] = {
    0, kGreen, kYellow, kRed, kYellow | kRed, kYellow | kGreen, kRed | kGreen, kLabels};
constexpr int kPatternCount = sizeof(kPatterns) / sizeof(kPatterns[0]);
constexpr int kFirstKeyword = 2;

// The blue LED shows listening: on for 120 ms per second. A few hops would not be visible, because
// hops that waited for an inference are processed within a moment.
constexpr uint32_t kBeatHops = 50;
constexpr uint32_t kBeatOnHops = 6;

constexpr uint32_t kBlinkMs = 200;  // on, and off
constexpr uint32_t kPauseMs = 1000;
constexpr uint32_t kRestartMs = 10 * 1000;

constexpr uint32_t kTicksPerMs = 3000;
constexpr uint32_t kWakeTicks = 4687;  // of 46875 Hz: a tenth of a second
constexpr uint32_t kNapTicks = 47;     // a millisecond
constexpr uint32_t kPriority = 7;

// Maximum number of polls per step of the burst mode, for which the HAL allows 10 ms; a poll takes
// more than 0.1 us.
constexpr int kBurstLooks = 100000;

Elapsed<kTicksPerMs> elapsed;
uint32_t counted_ticks = 0;  // at the last count
Elapsed<kTicksPerMs> asleep;

void Show(uint32_t lit, uint32_t of) {
  Register(kPinsClear) = of & ~lit;
  Register(kPinsSet) = lit;
}

void Replace(uint32_t address, uint32_t mask, uint32_t value) {
  Register(address) = (Register(address) & ~mask) | value;
}

void StartPins() {
  Show(0, kLabels | kBlue);
  Register(kPadKey) = kPadUnlock;
  Replace(kPad36To39, kPad37Mask, kPad37Gpio);
  Replace(kPad44To47, kPad44And46And47Mask, kPad44Gpio | kPad46Gpio | kPad47Gpio);
  Replace(kPin32To39, kPin37Mask, kPin37Output);
  Replace(kPin40To47, kPin44And46And47Mask, kPin44Output | kPin46Output | kPin47Output);
  // The microphones' pads belong to the ADC (function 0), without input buffer or pull-up.
  Replace(kPad8To11, kPad11Mask, 0);
  Replace(kPad28To31, kPad29Mask, 0);
  // The pull-up keeps the line idle if nothing is connected.
  Register(kPad48To49) = kPad48Strong | kPad49Input | kPad49PullUp;
  Register(kPadKey) = 0;
}

// A read waits until writes to the timers are complete.
void FinishWrites() { [[maybe_unused]] const uint32_t value = Register(kTimerEnableInterrupts); }

// Limits each sleep.
void WakeEvery(uint32_t ticks) {
  Register(kTimer0Control) = kTimer0Clear;
  Register(kTimer0Compare) = ticks - 1;
  constexpr uint32_t kWake = kTimer0Clock46875Hz | kTimer0Repeat | kTimer0Interrupt0;
  Register(kTimer0Control) = kWake;
  Register(kTimer0Control) = kWake | kTimer0Enable;
}

void StartClocks() {
  Register(kClockKey) = kClockUnlock;
  Register(kClockControl) = 0;
  Register(kClockKey) = 0;
  constexpr uint32_t kCache = kCacheOneWay16K | kCacheTagClockGate | kCacheArrayClockGate |
                              kCacheInstructions | kCacheConstants;
  Register(kCacheConfig) = kCache;
  Register(kCacheConfig) = kCache | kCacheEnable;

  Register(kSystemTimerConfig) = kSystemTimerClear | kSystemTimerClock3MHz;
  Register(kSystemTimerConfig) = kSystemTimerClock3MHz;

  WakeEvery(kWakeTicks);
  Register(kTimerEnableInterrupts) = kTimer0Reached;
  EnableInterrupt(kTimerInterrupt, kPriority);
  Register(kSystemControl) |= kSendEventOnPend;
}

bool WaitFor(uint32_t address, uint32_t bit) {
  for (int i = 0; i < kBurstLooks; ++i) {
    if ((Register(address) & bit) != 0) return true;
  }
  return false;
}

// Whether the core now runs at 96 MHz. Timers, ADC and UART are unchanged.
bool StartBurst() {
  if ((Register(kChipKind) & kChipCanBurst) == 0) return false;
  Register(kPowerEvents) |= kPowerBurstEvent;
  if ((Register(kPowerSource) & kPowerBleBuck) != 0) {
    Register(kBuckAdjust) = kBuckZeroDetect | kBuckZeroTrim | kBuckAdjustEnable |
                            kBuckHighThreshold | kBuckLowThreshold;
  }
  Register(kFeatures) |= kFeatureBurst;
  if (!WaitFor(kFeatures, kFeatureAnswered)) return false;
  if ((Register(kFeatures) & kFeatureThere) == 0) return false;
  Register(kFrequency) = kFrequencyBurst;
  return WaitFor(kFrequency, kFrequencyIsBurst);
}

void StartWatchdog() {
  Register(kResetConfig) |= kResetByWatchdog;
  Register(kWatchdogConfig) =
      kWatchdogClock16Hz | kWatchdog4Seconds | kWatchdogResets | kWatchdogEnable;
  Register(kWatchdogRestart) = kWatchdogRestartKey;
}

// Works with interrupts disabled: does the serial port's work. The timer's pending interrupt ends
// WFE.
void Wait(uint32_t wait_ms) {
  const uint32_t begin = Milliseconds();
  while (Milliseconds() - begin < wait_ms) {
    UartService();
    Register(kWatchdogRestart) = kWatchdogRestartKey;
    Register(kTimerClearInterrupts) = kTimer0Reached;
    FinishWrites();
    Register(kNvicForget) = 1u << kTimerInterrupt;
    asm volatile("dsb\n wfe" ::: "memory");
  }
}

}  // namespace

const char kName[] = KWS_BOARD;
const uint32_t kClockKhz = KWS_BURST ? 96000 : 48000;

void Init() {
  static bool done = false;
  if (done) return;
  done = true;
  // The bootloader may leave interrupts enabled, pending or blocked.
  Register(kNvicDisable) = ~0u;
  Register(kNvicForget) = ~0u;
  const bool watchdog = (Register(kResetStatus) & kResetWasWatchdog) != 0;
  StartClocks();
  StartPins();
  StartWatchdog();  // first, because the next steps may hang waiting for power
  UartInit();
  const bool slow = KWS_BURST && !StartBurst();
  asm volatile("cpsie i" ::: "memory");
  if (watchdog) Write(lines::kWatchdog, sizeof(lines::kWatchdog) - 1);
  if (slow) {
    constexpr char kText[] =
        "error: this chip does not support 96 MHz; build without the option 96mhz\n";
    Write(kText, sizeof(kText) - 1);
  }
}

void Write(const char* text, size_t size) { UartWrite(text, size); }
void WriteSamples(const char* text, size_t size) { UartWrite(text, size); }
uint32_t ChooseSamplePort() { return kUartFastRate; }
void SetFast(bool fast) { UartSetFast(fast); }

uint32_t Cycles() { return CountCycles(); }

const char* ResetCause() {
  const uint32_t status = Register(kResetStatus);
  if ((status & kResetWasWatchdog) != 0) return "watchdog";
  if ((status & kResetWasSoftware) != 0) return "software";
  if ((status & kResetWasBrownout) != 0) return "brownout";
  if ((status & kResetWasPower) != 0) return "power";
  return (status & kResetWasPin) != 0 ? "pin" : "unknown";
}

size_t Read(char* text, size_t size) { return UartRead(text, size); }

void SetLed(int label) {
  if (label >= kPatternCount) {
    label = kFirstKeyword + (label - kFirstKeyword) % (kPatternCount - kFirstKeyword);
  }
  Show(kPatterns[label], kLabels);
}

// The counter wraps after 23 minutes; a hop comes every 20 ms.
uint32_t Milliseconds() {
  const uint32_t now = Register(kSystemTimer);
  elapsed.Add(now - counted_ticks);
  counted_ticks = now;
  return elapsed.milliseconds();
}

uint32_t SleepMilliseconds() { return asleep.milliseconds(); }

// Interrupts are disabled around WFE, so that their time counts as work; with SEVONPEND a pending
// interrupt still ends the sleep. An earlier interrupt, since the last call, has set the event
// register (ARM DDI 0403E, B1.5.18), so that WFE returns at once.
void Sleep() {
  const InterruptsOff off;
  const uint32_t begin = Register(kSystemTimer);
  asm volatile("dsb\n wfe" ::: "memory");
  asleep.Add(Register(kSystemTimer) - begin);
}

void FeedWatchdog() {
  static uint32_t hop = 0;
  Register(kWatchdogRestart) = kWatchdogRestartKey;
  Show(hop < kBeatOnHops ? kBlue : 0, kBlue);
  hop = (hop + 1) % kBeatHops;
}

void Halt(Fault fault) {
  asm volatile("cpsid i" ::: "memory");
  Show(0, kLabels | kBlue);
  WakeEvery(kNapTicks);
  const uint32_t begin = Milliseconds();
  while (fault == Fault::kModel || Milliseconds() - begin < kRestartMs) {
    for (int i = 0; i < static_cast<int>(fault); ++i) {
      Show(kRed, kRed);
      Wait(kBlinkMs);
      Show(0, kRed);
      Wait(kBlinkMs);
    }
    Wait(kPauseMs);
  }
  asm volatile("dsb" ::: "memory");
  Register(kSystemReset) = kSystemResetRequest;
  for (;;) {
  }
}

}  // namespace board
}  // namespace kws

extern "C" void KwsTimerInterrupt() {
  using namespace kws::board;
  Register(kTimerClearInterrupts) = kTimer0Reached;
  FinishWrites();
}
