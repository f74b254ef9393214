// SPDX-License-Identifier: Apache-2.0
// The registers of the nRF52840 that the port uses, except those of USB. In brackets: sections of
// the nRF52840 Product Specification (PS) v1.7. The name after an address or a bit is the vendor's,
// with the name of a field's value after `=`; tests/firmware/test_registers.py compares all of them
// with the vendor's SVD file.
#ifndef KWS_BOARDS_NRF52840_NRF52840_H_
#define KWS_BOARDS_NRF52840_NRF52840_H_

#include <cstdint>

#include "boards/cortex_m.h"
#include "boards/interrupts.h"
#include "boards/nrf52840/tables/pins.h"

namespace kws {
namespace board {

// Tasks start when 1 is written; events are 1 when it happened, until 0 is written [6.1].

// High frequency clock [5.4].
constexpr uint32_t kClockStartHfxo = 0x40000000;    // CLOCK.TASKS_HFCLKSTART
constexpr uint32_t kClockHfxoStarted = 0x40000100;  // CLOCK.EVENTS_HFCLKSTARTED
constexpr uint32_t kClockHfxoStatus = 0x4000040c;   // CLOCK.HFCLKSTAT
constexpr uint32_t kClockHfxoSource = 1u << 0;      // CLOCK.HFCLKSTAT.SRC=Xtal
constexpr uint32_t kClockHfxoRunning = 1u << 16;    // CLOCK.HFCLKSTAT.STATE=Running

// Power [5.3].
constexpr uint32_t kPowerResetReason = 0x40000400;  // POWER.RESETREAS; write 1 to clear
constexpr uint32_t kPowerResetPin = 1u << 0;        // POWER.RESETREAS.RESETPIN=Detected
constexpr uint32_t kPowerResetWatchdog = 1u << 1;   // POWER.RESETREAS.DOG=Detected
constexpr uint32_t kPowerResetSoftware = 1u << 2;   // POWER.RESETREAS.SREQ=Detected
constexpr uint32_t kPowerResetLockup = 1u << 3;     // POWER.RESETREAS.LOCKUP=Detected
constexpr uint32_t kPowerRetained2 = 0x40000520;    // POWER.GPREGRET2; survives soft resets
constexpr uint32_t kPowerDcDc = 0x40000578;         // POWER.DCDCEN

// Flash and its cache [4.3].
constexpr uint32_t kFlashReady = 0x4001e400;      // NVMC.READY
constexpr uint32_t kFlashIsReady = 1u << 0;       // NVMC.READY.READY=Ready
constexpr uint32_t kFlashMode = 0x4001e504;       // NVMC.CONFIG; 0: flash is only read
constexpr uint32_t kFlashWrite = 1u << 0;         // NVMC.CONFIG.WEN=Wen
constexpr uint32_t kFlashErase = 1u << 1;         // NVMC.CONFIG.WEN=Een
constexpr uint32_t kFlashErasePart = 0x4001e518;  // NVMC.ERASEPAGEPARTIAL; the page's address
constexpr uint32_t kFlashPartMs = 0x4001e51c;     // NVMC.ERASEPAGEPARTIALCFG; ms of each
constexpr uint32_t kFlashCache = 0x4001e540;      // NVMC.ICACHECNF
constexpr uint32_t kFlashCacheEnable = 1u << 0;   // NVMC.ICACHECNF.CACHEEN=Enabled

// Debug port [4.8]. From build code Fxx on, software must unlock it too. The revision is not in the
// PS: Nordic's nrfx, mdk/nrf52_erratas.h, configuration 249.
constexpr uint32_t kChipRevision = 0x10000134;
constexpr uint32_t kChipLocksAtReset = 5;       // and later ones
constexpr uint32_t kDebugSetting = 0x10001208;  // UICR.APPROTECT
constexpr uint32_t kDebugUnlock = 0x40000558;   // APPROTECT.DISABLE

// Ports [6.9].
constexpr uint32_t kPort0Set = 0x50000508;     // P0.OUTSET
constexpr uint32_t kPort0Clear = 0x5000050c;   // P0.OUTCLR
constexpr uint32_t kPort1Set = 0x50000808;     // P1.OUTSET
constexpr uint32_t kPort1Clear = 0x5000080c;   // P1.OUTCLR
constexpr uint32_t kPort0Config = 0x50000700;  // P0.PIN_CNF[0]; pin n's is 4 n on
constexpr uint32_t kPort1Config = 0x50000a00;  // P1.PIN_CNF[0]
constexpr uint32_t kPinOutput = 1u << 0;       // P0.PIN_CNF.DIR=Output
constexpr uint32_t kPinNoInput = 1u << 1;      // P0.PIN_CNF.INPUT=Disconnect
constexpr uint32_t kPinStrongHigh = 2u << 8;   // P0.PIN_CNF.DRIVE=S0H1
constexpr uint32_t kPinPullUp = 3u << 2;       // P0.PIN_CNF.PULL=Pullup

// Microphone [6.15].
constexpr uint32_t kPdmStart = 0x4001d000;            // PDM.TASKS_START
constexpr uint32_t kPdmStarted = 0x4001d100;          // PDM.EVENTS_STARTED
constexpr uint32_t kPdmEnableInterrupt = 0x4001d304;  // PDM.INTENSET
constexpr uint32_t kPdmInterruptStarted = 1u << 0;    // PDM.INTENSET.STARTED=Set
constexpr uint32_t kPdmEnable = 0x4001d500;           // PDM.ENABLE
constexpr uint32_t kPdmClock = 0x4001d504;            // PDM.PDMCLKCTRL
constexpr uint32_t kPdmClock1280k = 0x0a000000;       // PDM.PDMCLKCTRL.FREQ=1280K: 32 MHz / 25
constexpr uint32_t kPdmMode = 0x4001d508;             // PDM.MODE
constexpr uint32_t kPdmMono = 1u << 0;                // PDM.MODE.OPERATION=Mono
constexpr uint32_t kPdmLeftOnRisingEdge = 1u << 1;    // PDM.MODE.EDGE=LeftRising
constexpr uint32_t kPdmGainLeft = 0x4001d518;         // PDM.GAINL
constexpr uint32_t kPdmGainRight = 0x4001d51c;        // PDM.GAINR
constexpr uint32_t kPdmGain0dB = 0x28;                // PDM.GAINL.GAINL=DefaultGain; one is 0.5 dB
constexpr uint32_t kPdmRatio = 0x4001d520;            // PDM.RATIO
constexpr uint32_t kPdmRatio80 = 1u << 0;             // PDM.RATIO.RATIO=Ratio80
constexpr uint32_t kPdmPinClock = 0x4001d540;         // PDM.PSEL.CLK
constexpr uint32_t kPdmPinData = 0x4001d544;          // PDM.PSEL.DIN
constexpr uint32_t kPdmPointer = 0x4001d560;          // PDM.SAMPLE.PTR
constexpr uint32_t kPdmCount = 0x4001d564;            // PDM.SAMPLE.MAXCNT; samples

// Serial port [6.34].
constexpr uint32_t kUartStartReceive = 0x40002000;      // UARTE0.TASKS_STARTRX
constexpr uint32_t kUartStopReceive = 0x40002004;       // UARTE0.TASKS_STOPRX
constexpr uint32_t kUartStartSend = 0x40002008;         // UARTE0.TASKS_STARTTX
constexpr uint32_t kUartReceived = 0x40002110;          // UARTE0.EVENTS_ENDRX
constexpr uint32_t kUartSent = 0x40002120;              // UARTE0.EVENTS_ENDTX
constexpr uint32_t kUartReceiveStopped = 0x40002144;    // UARTE0.EVENTS_RXTO
constexpr uint32_t kUartEnableInterrupt = 0x40002304;   // UARTE0.INTENSET
constexpr uint32_t kUartDisableInterrupt = 0x40002308;  // UARTE0.INTENCLR
constexpr uint32_t kUartInterruptReceived = 1u << 4;    // UARTE0.INTENSET.ENDRX=Set
constexpr uint32_t kUartInterruptSent = 1u << 8;        // UARTE0.INTENSET.ENDTX=Set
constexpr uint32_t kUartEnable = 0x40002500;            // UARTE0.ENABLE
constexpr uint32_t kUartEnabled = 8;                    // UARTE0.ENABLE.ENABLE=Enabled: with DMA
constexpr uint32_t kUartPinSend = 0x4000250c;           // UARTE0.PSEL.TXD
constexpr uint32_t kUartPinReceive = 0x40002514;        // UARTE0.PSEL.RXD
constexpr uint32_t kUartBaud = 0x40002524;              // UARTE0.BAUDRATE
constexpr uint32_t kUartBaud115200 = 0x01d60000;        // UARTE0.BAUDRATE.BAUDRATE=Baud115200
constexpr uint32_t kUartBaud1M = 0x10000000;            // UARTE0.BAUDRATE.BAUDRATE=Baud1M
constexpr uint32_t kUartReceivePointer = 0x40002534;    // UARTE0.RXD.PTR
constexpr uint32_t kUartReceiveCount = 0x40002538;      // UARTE0.RXD.MAXCNT
constexpr uint32_t kUartSendPointer = 0x40002544;       // UARTE0.TXD.PTR
constexpr uint32_t kUartSendCount = 0x40002548;         // UARTE0.TXD.MAXCNT
constexpr uint32_t kUartConfig = 0x4000256c;            // UARTE0.CONFIG; 0: 8 bits, 1 stop

// Time [6.30]. Register n of CAPTURE, COMPARE and CC is 4 n on.
constexpr uint32_t kTimerStart = 0x40008000;             // TIMER0.TASKS_START
constexpr uint32_t kTimerCapture = 0x40008040;           // TIMER0.TASKS_CAPTURE[0]
constexpr uint32_t kTimerReached = 0x40008140;           // TIMER0.EVENTS_COMPARE[0]
constexpr uint32_t kTimerEnableInterrupt = 0x40008304;   // TIMER0.INTENSET
constexpr uint32_t kTimerDisableInterrupt = 0x40008308;  // TIMER0.INTENCLR
constexpr uint32_t kTimerInterrupt1 = 1u << 17;          // TIMER0.INTENSET.COMPARE1=Set
constexpr uint32_t kTimerInterrupt2 = 1u << 18;          // TIMER0.INTENSET.COMPARE2=Set
constexpr uint32_t kTimerBits = 0x40008508;              // TIMER0.BITMODE
constexpr uint32_t kTimer32Bit = 3;                      // TIMER0.BITMODE.BITMODE=32Bit
constexpr uint32_t kTimerPrescaler = 0x40008510;         // TIMER0.PRESCALER; 16 MHz / 2^n
constexpr uint32_t kTimerValue = 0x40008540;             // TIMER0.CC[0]

// Watchdog [6.36]. Once started it cannot be stopped or changed, and soft resets leave it running
// [5.3.6.8].
constexpr uint32_t kWatchdogStart = 0x40010000;      // WDT.TASKS_START
constexpr uint32_t kWatchdogPeriod = 0x40010504;     // WDT.CRV; (1 + n) / 32768 s
constexpr uint32_t kWatchdogRequests = 0x40010508;   // WDT.RREN
constexpr uint32_t kWatchdogRequest0 = 1u << 0;      // WDT.RREN.RR0=Enabled
constexpr uint32_t kWatchdogConfig = 0x4001050c;     // WDT.CONFIG
constexpr uint32_t kWatchdogInSleep = 1u << 0;       // WDT.CONFIG.SLEEP=Run
constexpr uint32_t kWatchdogReload = 0x40010600;     // WDT.RR[0]
constexpr uint32_t kWatchdogReloadKey = 0x6e524635;  // WDT.RR.RR=Reload

// Only to stop peripherals that the bootloader left running: PWM [6.17], RTC [6.22].
constexpr uint32_t kPwm0Enable = 0x4001c500;  // PWM0.ENABLE
constexpr uint32_t kPwm1Enable = 0x40021500;  // PWM1.ENABLE
constexpr uint32_t kPwm2Enable = 0x40022500;  // PWM2.ENABLE
constexpr uint32_t kPwm3Enable = 0x4002d500;  // PWM3.ENABLE
constexpr uint32_t kRtc1Stop = 0x40011004;    // RTC1.TASKS_STOP

// Interrupt numbers [4.2.2, 4.2.4].
constexpr uint32_t kUartInterrupt = 2;   // UARTE0
constexpr uint32_t kTimerInterrupt = 8;  // TIMER0
constexpr uint32_t kPdmInterrupt = 29;   // PDM
constexpr uint32_t kFpuInterrupt = 38;   // FPU

// An event's interrupt is cleared some cycles after the write; the read waits for that [6.1.6].
inline void ClearEvent(uint32_t event) {
  Register(event) = 0;
  [[maybe_unused]] const uint32_t read = Register(event);
}

// The level of an output.
inline void Drive(Pin pin, bool high) {
  const uint32_t set = pin.port == 0 ? kPort0Set : kPort1Set;
  const uint32_t clear = pin.port == 0 ? kPort0Clear : kPort1Clear;
  Register(high ? set : clear) = pin.Mask();
}

// `config` is the pin's PIN_CNF.
inline void Configure(Pin pin, uint32_t config) {
  Register((pin.port == 0 ? kPort0Config : kPort1Config) + pin.number * 4) = config;
}

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_NRF52840_H_
