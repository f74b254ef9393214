// SPDX-License-Identifier: Apache-2.0
// Tests the models of renode/peripherals/apollo3/ on the emulated chip. The only part of the
// firmware that it uses are the register names. It writes `ok <name>` or `wrong <name>: <got>, not
// <wanted>` per check. tests/firmware/test_apollo3_models.py builds and runs it. It resets twice:
// by software after the checks, then by the watchdog.
//
// Input 1 receives kFirst(n), input 2 kSecond(n), at 16 kHz.
#include <cstddef>
#include <cstdint>

#include "apollo3_check.h"
#include "boards/sparkfun_edge/apollo3.h"

namespace {

using namespace kws::board;

constexpr int32_t kMiddle = 6003 * 10;  // tenths of a step
constexpr int32_t kFirst(uint32_t n) { return static_cast<int32_t>(n % 1000) * 20 - 10000; }
constexpr int32_t kSecond(uint32_t n) { return 7000 - static_cast<int32_t>(n % 700) * 10; }

// Registers that the firmware does not use.
constexpr uint32_t kPinsRead = 0x40010084;         // GPIO.RDB
constexpr uint32_t kTimer0Values = 0x40008000;     // CTIMER.TMR0
constexpr uint32_t kTimer1Compare = 0x40008024;    // CTIMER.CMPRA1
constexpr uint32_t kTimer1Control = 0x4000802c;    // CTIMER.CTRL1
constexpr uint32_t kTimerInterrupts = 0x40008204;  // CTIMER.INTSTAT
constexpr uint32_t kTimer1Reached = 1u << 2;       // CTIMER.INTSTAT.CTMRA1C0INT
constexpr uint32_t kSystemTimerFreeze = 1u << 31;  // CTIMER.STCFG.FREEZE
constexpr uint32_t kAdcFifo = 0x50010038;          // ADC.FIFO
constexpr uint32_t kAdcFifoPop = 0x5001003c;       // ADC.FIFOPR
constexpr uint32_t kAdcPopByReading = 1u << 12;    // ADC.CFG.DFIFORDEN
constexpr uint32_t kAdcInterrupts = 0x50010204;    // ADC.INTSTAT
constexpr uint32_t kAdcScanned = 1u << 1;          // ADC.INTSTAT.SCNCMP
constexpr uint32_t kAdcThreeQuarters = 1u << 2;    // ADC.INTSTAT.FIFOOVR1
constexpr uint32_t kAdcFull = 1u << 3;             // ADC.INTSTAT.FIFOOVR2
constexpr uint32_t kAdcMask = 1u << 17;            // ADC.DMACFG.DMAMSK
constexpr uint32_t kAdcAverage16 = 4u << 24;       // ADC.SL0CFG.ADSEL0
constexpr uint32_t kAdc8Bits = 3u << 16;           // ADC.SL0CFG.PRMODE0
constexpr uint32_t kResetWasPowerOn = 1u << 1;     // RSTGEN.STAT.PORSTAT
constexpr uint32_t kResetWasSoftware = 1u << 3;    // RSTGEN.STAT.SWRSTAT

constexpr uint32_t kAdcReference1V5 = 1u << 8;  // ADC.CFG.REFSEL
constexpr uint32_t kAdcInput3 = 3u << 8;        // ADC.SL0CFG.CHSEL0

constexpr uint32_t kAdcOn = kAdcClock48MHz | kAdcSoftwareTrigger | kAdcLowLatency;
constexpr uint32_t kTimer3Trigger = kTimer3Clock12MHz | kTimer3Repeat | kTimer3Adc;

void SetPads(uint32_t pads, uint32_t value) {
  Register(kPadKey) = kPadUnlock;
  Register(pads) = value;
  Register(kPadKey) = 0;
}

void StartClock() {
  Register(kClockKey) = kClockUnlock;
  Register(kClockControl) = 0;
  Register(kClockKey) = 0;
}

// Output while a setting is missing must be lost; otherwise the test finds an extra line.
void StartUart() {
  Register(kUartDivisor) = 13;
  Put("wrong without power");
  Register(kPowerEnable) |= kPowerUart0;
  Register(kUartDivisor) = 13;
  Put("wrong without a clock");
  Register(kUartLine) = kUart8Bits | kUartFifos;
  Register(kUartControl) =
      kUartClockEnable | kUartClock24MHz | kUartSendEnable | kUartReceiveEnable | kUartEnable;
  Put("wrong pad");
  SetPads(kPad48To49, kPad49Input | kPad49PullUp);
  Register(kUartDivisor) = 26;
  Put("ok a divisor waits for LCRH\n");
  Register(kUartLine) = kUart8Bits | kUartFifos;
  Put("wrong rate");
  Register(kUartDivisor) = 13;
  Register(kUartLine) = kUart8Bits | kUartFifos;
  Check("power of UART", Register(kPowerStatus) & kPowerUartIsOn, kPowerUartIsOn);
}

void TryGpio() {
  constexpr uint32_t kRed = 1u << (46 - 32), kBlue = 1u << (37 - 32);
  Register(kPad44To47) = kPad46Gpio;
  Check("pads are locked", Register(kPad44To47), 0x18181818);
  Register(kPadKey) = kPadUnlock;
  Register(kPad44To47) = kPad46Gpio;
  Register(kPin40To47) = kPin46Output;
  Register(kPadKey) = 0;
  Check("pads open with the key", Register(kPad44To47), kPad46Gpio);
  Register(kPinsSet) = kRed | kBlue;
  Check("only an output drives its pin", Register(kPinsRead), kRed);
  Register(kPinsClear) = kRed;
  Check("a pin is cleared", Register(kPinsRead), 0);
  Register(kPinsSet) = kRed;  // read by the test
}

void TryTimers() {
  StartSystemTimer();
  Check("system timer is cleared", Register(kSystemTimer) < 100, true);
  // 47 ticks of 46875 Hz are 3008 of 3 MHz.
  Register(kTimerEnableInterrupts) = kTimer0Reached;
  Register(kNvicEnable) = 1u << kTimerInterrupt;
  Register(kTimer0Control) = kTimer0Clear;
  Register(kTimer0Compare) = 46;
  const uint32_t run = kTimer0Clock46875Hz | kTimer0Repeat | kTimer0Interrupt0 | kTimer0Enable;
  Register(kTimer0Control) = run;
  uint32_t at[3];
  for (uint32_t& now : at) {
    Check("timer A0 interrupts", WaitFor(kTimerInterrupts, kTimer0Reached), true);
    now = Register(kSystemTimer);
    Register(kTimerClearInterrupts) = kTimer0Reached;
  }
  const uint32_t period = at[2] - at[1];
  Check("timer A0 repeats in time", period > 2990 && period < 3026, true);
  Check("interrupt 14 is pending", Pending(kTimerInterrupt), true);
  Register(kNvicDisable) = Register(kNvicForget) = ~0u;
  Check("timer A0 wraps", (Register(kTimer0Values) & 0xffff) < 47, true);
  Register(kTimer0Control) = 0;
  const uint32_t stopped = Register(kTimer0Values);
  WaitTicks(3000);
  Check("a stopped timer keeps its count", Register(kTimer0Values), stopped);
  Register(kTimer0Control) = kTimer0Clear;
  Check("a cleared timer is zero", Register(kTimer0Values), 0);

  // Once only: function 0.
  Register(kTimer1Compare) = 9;
  Register(kTimer1Control) = run & ~kTimer0Repeat;
  Check("timer A1 interrupts", WaitFor(kTimerInterrupts, kTimer1Reached), true);
  Register(kTimerClearInterrupts) = ~0u;
  WaitTicks(3000);
  Check("a single count ends", Register(kTimerInterrupts), 0);
  Register(kTimer1Control) = 0;

  Register(kSystemTimerConfig) = kSystemTimerFreeze | kSystemTimerClock3MHz;
  const uint32_t frozen = Register(kSystemTimer);
  for (int i = 0; i < 1000; ++i) asm volatile("nop");
  Check("a frozen system timer stands", Register(kSystemTimer), frozen);
  StartSystemTimer();
}

bool IsHalf(uint32_t ticks, uint32_t of) {
  return 2 * ticks > of - of / 50 && 2 * ticks < of + of / 50;
}

void TryCache() {
  WaitTicks(2 * 3000);  // Renode's quantum is 1 ms
  const uint32_t slow = TicksOfLoop();
  Register(kCacheConfig) = kCacheEnable | kCacheInstructions;
  WaitTicks(2 * 3000);
  Check("the cache makes it twice as fast", IsHalf(TicksOfLoop(), slow), true);
}

void TryBurst() {
  const uint32_t slow = TicksOfLoop();
  Register(kFrequency) = kFrequencyBurst;
  Check("no burst without the feature", Register(kFrequency) & kFrequencyIsBurst, 0);
  Check("the chip can burst", Register(kChipKind) & kChipCanBurst, kChipCanBurst);
  Register(kFeatures) |= kFeatureBurst;
  Check("the feature is there", Register(kFeatures) & (kFeatureAnswered | kFeatureThere),
        kFeatureAnswered | kFeatureThere);
  Register(kFrequency) = kFrequencyBurst;
  Check("burst is granted", Register(kFrequency) & kFrequencyIsBurst, kFrequencyIsBurst);
  WaitTicks(2 * 3000);
  Check("burst is twice as fast", IsHalf(TicksOfLoop(), slow), true);
  Register(kFrequency) = 0;
  WaitTicks(2 * 3000);
}

void TriggerEvery(uint32_t ticks) {  // of 12 MHz
  Register(kTimer3Control) = kTimer3Clear;
  Register(kTimer3Compare) = ticks - 1;
  Register(kTimer3Control) = kTimer3Trigger | kTimer3Enable;
}

// From the start of the files.
void StartAdc(uint32_t slot0, uint32_t slot1, uint32_t config) {
  Register(kTimer3Control) = kTimer3Clear;
  Register(kAdcDmaConfig) = 0;
  Register(kAdcDmaTriggers) = 0;
  Register(kAdcConfig) = kAdcOn;
  Register(kAdcSlot0) = slot0;
  Register(kAdcSlot1) = slot1;
  Register(kAdcConfig) = config | kAdcEnable;
  Register(kAdcClearInterrupts) = ~0u;
  Register(kAdcTrigger) = kAdcTriggerKey;
}

uint32_t Count() { return Register(kAdcFifo) >> 20 & 0xff; }

uint32_t FirstResult() { return (Register(kAdcFifo) & kAdcData) >> kAdcFractionBits; }

// The settings that an input needs.
void TryInputs() {
  const uint32_t first = kAdcInput1 | kAdcSlotEnable;
  const uint32_t heard = static_cast<uint32_t>((kMiddle + kFirst(0)) / 10);
  StartAdc(first, 0, kAdcOn);
  Check("no ADC without power", Register(kAdcFifo), 0);
  Register(kPowerEnable) |= kPowerAdc;
  StartAdc(first, 0, kAdcOn);
  Check("a pad configured as GPIO delivers no samples", FirstResult(), 0);
  SetPads(kPad8To11, 0);
  SetPads(kPad28To31, 1u << 8);
  StartAdc(first, 0, kAdcOn);
  Check("a pull-up is stronger", FirstResult(), (1u << 14) - 1);
  SetPads(kPad28To31, 0);
  StartAdc(first, 0, kAdcOn);
  Check("an analog pad delivers samples", FirstResult(), heard);
  StartAdc(kAdcInput3 | kAdcSlotEnable, 0, kAdcOn);
  Check("an input without microphone delivers no samples", FirstResult(), 0);
  StartAdc(first, 0, kAdcOn & ~kAdcClock48MHz);
  Check("no conversion without a clock", Count(), 0);
  StartAdc(first, 0, kAdcClock48MHz);
  Check("software is one trigger of several", Count(), 0);
  StartAdc(first, 0, kAdcOn | kAdcReference1V5);
  Check("a lower reference yields larger values", FirstResult(),
        static_cast<uint32_t>((kMiddle + kFirst(0)) * 4 / 3 / 10));
}

void TryFifo() {
  constexpr uint32_t kBoth = kAdcOn | kAdcRepeat;
  const uint32_t first = kAdcInput1 | kAdcSlotEnable, second = kAdcInput2 | kAdcSlotEnable;
  StartAdc(first, second, kAdcOn);
  WaitTicks(3000);
  Check("one scan without RPTEN", Count(), 2);
  Check("a scan is reported", Register(kAdcInterrupts) & kAdcScanned, kAdcScanned);
  Check("the first slot reads input 1", Register(kAdcFifo),
        2u << 20 | static_cast<uint32_t>((kMiddle + kFirst(0)) / 10) << kAdcFractionBits);
  Register(kAdcFifo) = 0;
  Check(
      "a write pops; the second slot reads input 2", Register(kAdcFifo),
      1u << 28 | 1u << 20 | static_cast<uint32_t>((kMiddle + kSecond(0)) / 10) << kAdcFractionBits);
  Check("FIFOPR reads", Register(kAdcFifoPop) >> 28, 1);
  Check("reading pops only where enabled", Count(), 1);
  Register(kAdcTrigger) = kAdcTriggerKey;
  Check("software triggers the next scan", Count(), 3);

  StartAdc(first, second, kAdcOn | kAdcPopByReading);
  [[maybe_unused]] const uint32_t popped = Register(kAdcFifoPop);
  Check("reading pops where enabled", Count(), 1);

  // 12 of 16 entries after 6 scans, at 1 kHz; 16 after 8.
  StartAdc(first, second, kBoth);
  Register(kAdcEnableInterrupts) = kAdcThreeQuarters;
  Register(kNvicEnable) = 1u << kAdcInterrupt;
  TriggerEvery(12000);
  uint32_t begin = Register(kSystemTimer);
  Check("three quarters are reported", WaitFor(kAdcInterrupts, kAdcThreeQuarters), true);
  uint32_t ticks = Register(kSystemTimer) - begin;
  Check("in time", ticks >= 5 * 3000 - 100 && ticks < 5 * 3000 + 100, true);
  Check("twelve wait", Count(), 12);
  Check("interrupt 18 is pending", Pending(kAdcInterrupt), true);
  Register(kNvicDisable) = Register(kNvicForget) = ~0u;
  Register(kAdcEnableInterrupts) = 0;
  Check("a full FIFO is reported", WaitFor(kAdcInterrupts, kAdcFull), true);
  WaitTicks(5 * 3000);
  Check("a full FIFO keeps the oldest", Register(kAdcFifo),
        16u << 20 | static_cast<uint32_t>((kMiddle + kFirst(0)) / 10) << kAdcFractionBits);
  // The newest result in the FIFO: the eighth scan of 1 kHz, at sample 7 * 16.
  for (int i = 0; i < 14; ++i) Register(kAdcFifo) = 0;
  Check("what came to a full FIFO is lost", Register(kAdcFifo) & kAdcData,
        static_cast<uint32_t>((kMiddle + kFirst(7 * 16) + 14 % 10) / 10) << kAdcFractionBits);

  StartAdc(first | kAdcAverage16, 0, kBoth);
  TriggerEvery(12000);
  WaitTicks(16 * 3000);
  Check("16 measurements give one result", Count(), 1);
  StartAdc(first | kAdc8Bits, 0, kAdcOn);
  Check("8 bits are what they are", Register(kAdcFifo) & kAdcData & 0xfff, 0);
}

constexpr size_t kBlockSamples = 100, kWords = kBlockSamples * 10;
uint32_t blocks[2][kWords];

void Arm(const uint32_t* target, size_t words, uint32_t more) {
  Register(kAdcDmaConfig) = 0;
  Register(kAdcDmaStatus) = 0;
  Register(kAdcDmaTarget) = reinterpret_cast<uintptr_t>(target);
  Register(kAdcDmaCount) = words * sizeof(uint32_t);
  Register(kAdcDmaConfig) = kAdcDmaEnable | more;
}

bool WaitForBlock() {
  const bool done = WaitFor(kAdcInterrupts, kAdcDmaDone);
  Register(kAdcClearInterrupts) = ~0u;
  return done;
}

// Five scans of both inputs per sample: the ten measurements add up exactly to the mean of both.
void TryDma() {
  StartAdc(kAdcInput1 | kAdcSlotEnable, kAdcInput2 | kAdcSlotEnable, kAdcOn | kAdcRepeat);
  Register(kAdcDmaTriggers) = kAdcDmaAt75Percent;
  Arm(blocks[0], kWords, 0);
  TriggerEvery(150);
  uint32_t wrong = 0, n = 0;
  for (uint32_t number = 0; number < 6; ++number) {
    if (!WaitForBlock()) ++wrong;
    Arm(blocks[(number + 1) % 2], kWords, 0);
    const uint32_t* words = blocks[number % 2];
    for (size_t i = 0; i < kBlockSamples; ++i, ++n) {
      int32_t first = 0, second = 0;
      for (size_t k = 0; k < 5; ++k, words += 2) {
        if (words[0] >> 28 != 0 || words[1] >> 28 != 1) ++wrong;
        first += static_cast<int32_t>((words[0] & kAdcData) >> kAdcFractionBits);
        second += static_cast<int32_t>((words[1] & kAdcData) >> kAdcFractionBits);
      }
      if (first != (kMiddle + kFirst(n)) / 2 || second != (kMiddle + kSecond(n)) / 2) ++wrong;
    }
  }
  Check("blocks in turn hold every sample", wrong, 0);

  // Not armed again: the FIFO fills, and its entries are first in the next transfer.
  Check("a transfer ends", WaitForBlock(), true);
  const uint32_t left = Count();
  Check("a burst ends with the transfer", left < 16, true);
  WaitTicks(3000);
  Check("without DMA the FIFO fills", Count(), 16);
  const uint32_t oldest = Register(kAdcFifo) & kAdcData;
  Arm(blocks[0], 24, kAdcMask);
  Check("the next transfer ends", WaitForBlock(), true);
  Check("it begins with the oldest", blocks[0][0], oldest);
  Check("DMAMSK leaves the data", blocks[0][1] & ~kAdcData, 0);
  Check("DMASTAT tells the end", Register(kAdcDmaStatus), 1u << 1);
  Register(kAdcConfig) = kAdcOn;
}

void TryReceiving() {
  Put("type\n");
  char text[4];
  for (char& byte : text) {
    while ((Register(kUartFlags) & kUartNothingReceived) != 0) Pause(1000);
    byte = static_cast<char>(Register(kUartData));
  }
  Check("UART receives", text[0] == 'p' && text[1] == 'i' && text[2] == 'n' && text[3] == 'g',
        true);
}

void StartWatchdog() {
  Register(kResetConfig) = kResetByWatchdog;
  // A quarter of a second.
  Register(kWatchdogConfig) = kWatchdogClock16Hz | 4u << 8 | kWatchdogResets | kWatchdogEnable;
}

[[noreturn]] void Run() {
  asm volatile("cpsid i" ::: "memory");
  const uint32_t reset = Register(kResetStatus);
  StartClock();
  StartUart();
  StartSystemTimer();
  if ((reset & kResetWasPowerOn) != 0) {
    Check("the first reset is by power", reset, kResetWasPowerOn);
    TryCache();
    TryGpio();
    TryTimers();
    TryBurst();
    TryInputs();
    TryFifo();
    TryDma();
    TryReceiving();
    Register(kSystemReset) = kSystemResetRequest;
  } else if ((reset & kResetWasSoftware) != 0) {
    Check("a reset by software", reset, kResetWasSoftware);
    StartWatchdog();
    for (int i = 0; i < 5; ++i) {
      WaitTicks(300000);
      Register(kWatchdogRestart) = kWatchdogRestartKey;
    }
    Put("ok a fed watchdog is quiet\n");
    WaitTicks(3000000);
    Put("wrong the watchdog sleeps\n");
  } else {
    Check("a reset by the watchdog", reset, kResetWasWatchdog);
    Put("end\n");
  }
  for (;;) asm volatile("wfe");
}

}  // namespace

extern "C" void KwsReset() { Run(); }

// A fault is detected by missing lines.
extern "C" __attribute__((used, section(".vectors")))
const Vector kws_vectors[] = {reinterpret_cast<Vector>(&kws_stack_top), KwsReset};
