// SPDX-License-Identifier: Apache-2.0
// The registers of the Apollo3 Blue that the port uses. The name after an address or a bit is the
// vendor's, with the name of a field's value after `=`; tests/firmware/test_registers.py compares
// all of them with the vendor's SVD file, whose descriptions are the source unless another is
// named. HAL: the vendor's library, AmbiqSuite SDK 2.x, mcu/apollo3/hal. DS: Apollo3 Blue Datasheet
// DS-A3-0p9p1.
#ifndef KWS_BOARDS_SPARKFUN_EDGE_APOLLO3_H_
#define KWS_BOARDS_SPARKFUN_EDGE_APOLLO3_H_

#include <cstdint>

#include "boards/cortex_m.h"
#include "boards/interrupts.h"

namespace kws {
namespace board {

// Clock: the core runs at 48 MHz, or at half of it after a reset (HAL, am_hal_clkgen_control).
constexpr uint32_t kClockKey = 0x40004014;      // CLKGEN.CLKKEY
constexpr uint32_t kClockUnlock = 71;           // CLKGEN.CLKKEY.CLKKEY=Key
constexpr uint32_t kClockControl = 0x40004018;  // CLKGEN.CCTRL; 0: not halved

// Burst mode, 96 MHz for the core alone (HAL, am_hal_burst.c).
constexpr uint32_t kChipKind = 0x40020014;        // MCUCTRL.SKU
constexpr uint32_t kChipCanBurst = 1u << 0;       // MCUCTRL.SKU.ALLOWBURST
constexpr uint32_t kFeatures = 0x40020018;        // MCUCTRL.FEATUREENABLE
constexpr uint32_t kFeatureBurst = 1u << 4;       // MCUCTRL.FEATUREENABLE.BURSTREQ=EN
constexpr uint32_t kFeatureAnswered = 1u << 5;    // MCUCTRL.FEATUREENABLE.BURSTACK
constexpr uint32_t kFeatureThere = 1u << 6;       // MCUCTRL.FEATUREENABLE.BURSTAVAIL=AVAIL
constexpr uint32_t kPowerEvents = 0x40021028;     // PWRCTRL.DEVPWREVENTEN
constexpr uint32_t kPowerBurstEvent = 1u << 31;   // PWRCTRL.DEVPWREVENTEN.BURSTEVEN=EN
constexpr uint32_t kPowerSource = 0x40021000;     // PWRCTRL.SUPPLYSRC
constexpr uint32_t kPowerBleBuck = 1u << 0;       // PWRCTRL.SUPPLYSRC.BLEBUCKEN=EN; feeds burst too
constexpr uint32_t kBuckAdjust = 0x4000403c;      // CLKGEN.BLEBUCKTONADJ
constexpr uint32_t kBuckZeroDetect = 1u << 27;    // CLKGEN.BLEBUCKTONADJ.ZEROLENDETECTEN=EN
constexpr uint32_t kBuckZeroTrim = 15u << 23;     // CLKGEN.BLEBUCKTONADJ.ZEROLENDETECTTRIM=SetF
constexpr uint32_t kBuckAdjustEnable = 1u << 22;  // CLKGEN.BLEBUCKTONADJ.TONADJUSTEN=EN
constexpr uint32_t kBuckHighThreshold = 0x10u << 10;  // CLKGEN.BLEBUCKTONADJ.TONHIGHTHRESHOLD
constexpr uint32_t kBuckLowThreshold = 0xf;           // CLKGEN.BLEBUCKTONADJ.TONLOWTHRESHOLD
constexpr uint32_t kFrequency = 0x40004034;           // CLKGEN.FREQCTRL
constexpr uint32_t kFrequencyBurst = 1u << 0;         // CLKGEN.FREQCTRL.BURSTREQ=EN
constexpr uint32_t kFrequencyIsBurst = 1u << 2;       // CLKGEN.FREQCTRL.BURSTSTATUS

// Cache of the flash; fields as in HAL, am_hal_cachectrl_defaults.
constexpr uint32_t kCacheConfig = 0x40018000;        // CACHECTRL.CACHECFG
constexpr uint32_t kCacheEnable = 1u << 0;           // CACHECTRL.CACHECFG.ENABLE
constexpr uint32_t kCacheOneWay16K = 8u << 4;        // CACHECTRL.CACHECFG.CONFIG=W1_128B_1024E
constexpr uint32_t kCacheInstructions = 1u << 8;     // CACHECTRL.CACHECFG.ICACHE_ENABLE
constexpr uint32_t kCacheConstants = 1u << 9;        // CACHECTRL.CACHECFG.DCACHE_ENABLE
constexpr uint32_t kCacheTagClockGate = 1u << 10;    // CACHECTRL.CACHECFG.CACHE_CLKGATE
constexpr uint32_t kCacheArrayClockGate = 1u << 20;  // CACHECTRL.CACHECFG.DATA_CLKGATE

constexpr uint32_t kCacheControl = 0x40018008;  // CACHECTRL.CTRL; zeros do nothing
constexpr uint32_t kCacheInvalidate = 1u << 0;  // CACHECTRL.CTRL.INVALIDATE

// Power of peripherals: wait for the status after enabling (HAL, am_hal_pwrctrl_periph_enable).
constexpr uint32_t kPowerEnable = 0x40021008;  // PWRCTRL.DEVPWREN
constexpr uint32_t kPowerUart0 = 1u << 7;      // PWRCTRL.DEVPWREN.PWRUART0=EN
constexpr uint32_t kPowerAdc = 1u << 9;        // PWRCTRL.DEVPWREN.PWRADC=EN
constexpr uint32_t kPowerStatus = 0x40021018;  // PWRCTRL.DEVPWRSTATUS
constexpr uint32_t kPowerUartIsOn = 1u << 2;   // PWRCTRL.DEVPWRSTATUS.HCPA
constexpr uint32_t kPowerAdcIsOn = 1u << 5;    // PWRCTRL.DEVPWRSTATUS.PWRADC

// Resets.
constexpr uint32_t kResetConfig = 0x40000000;    // RSTGEN.CFG
constexpr uint32_t kResetByWatchdog = 1u << 1;   // RSTGEN.CFG.WDREN
constexpr uint32_t kResetStatus = 0x4ffff000;    // RSTGEN.STAT
constexpr uint32_t kResetWasPin = 1u << 0;       // RSTGEN.STAT.EXRSTAT
constexpr uint32_t kResetWasPower = 1u << 1;     // RSTGEN.STAT.PORSTAT
constexpr uint32_t kResetWasBrownout = 1u << 2;  // RSTGEN.STAT.BORSTAT
constexpr uint32_t kResetWasSoftware = 1u << 3;  // RSTGEN.STAT.SWRSTAT
constexpr uint32_t kResetWasWatchdog = 1u << 6;  // RSTGEN.STAT.WDRSTAT

// Pads, four per register, and pins, eight per register. The key unlocks both.
constexpr uint32_t kPadKey = 0x40010060;    // GPIO.PADKEY
constexpr uint32_t kPadUnlock = 115;        // GPIO.PADKEY.PADKEY=Key
constexpr uint32_t kPads = 0x40010000;      // GPIO.PADREGA; pads 0 to 3
constexpr uint32_t kPad0Gpio = 3u << 3;     // GPIO.PADREGA.PAD0FNCSEL=GPIO0
constexpr uint32_t kPad8To11 = 0x40010008;  // GPIO.PADREGC
constexpr uint32_t kPad11Mask = 0xffu << 24;
constexpr uint32_t kPad28To31 = 0x4001001c;  // GPIO.PADREGH
constexpr uint32_t kPad29Mask = 0xffu << 8;
constexpr uint32_t kPad36To39 = 0x40010024;  // GPIO.PADREGJ
constexpr uint32_t kPad37Mask = 0xffu << 8;
constexpr uint32_t kPad37Gpio = 3u << 11;    // GPIO.PADREGJ.PAD37FNCSEL=GPIO37
constexpr uint32_t kPad44To47 = 0x4001002c;  // GPIO.PADREGL
constexpr uint32_t kPad44Gpio = 3u << 3;     // GPIO.PADREGL.PAD44FNCSEL=GPIO44
constexpr uint32_t kPad46Gpio = 3u << 19;    // GPIO.PADREGL.PAD46FNCSEL=GPIO46
constexpr uint32_t kPad47Gpio = 3u << 27;    // GPIO.PADREGL.PAD47FNCSEL=GPIO47
constexpr uint32_t kPad44And46And47Mask = 0xffff00ff;
constexpr uint32_t kPad48To49 = 0x40010030;  // GPIO.PADREGM; 0: UART0's TX and RX
constexpr uint32_t kPad48Strong = 1u << 2;   // GPIO.PADREGM.PAD48STRNG=HIGH
constexpr uint32_t kPad49Input = 1u << 9;    // GPIO.PADREGM.PAD49INPEN=EN
constexpr uint32_t kPad49PullUp = 1u << 8;   // GPIO.PADREGM.PAD49PULL=EN
constexpr uint32_t kPins = 0x40010040;       // GPIO.CFGA; pins 0 to 7
constexpr uint32_t kPin0Output = 1u << 1;    // GPIO.CFGA.GPIO0OUTCFG=PUSHPULL
constexpr uint32_t kPin32To39 = 0x40010050;  // GPIO.CFGE
constexpr uint32_t kPin37Output = 1u << 21;  // GPIO.CFGE.GPIO37OUTCFG=PUSHPULL
constexpr uint32_t kPin37Mask = 0xfu << 20;
constexpr uint32_t kPin40To47 = 0x40010054;  // GPIO.CFGF
constexpr uint32_t kPin44Output = 1u << 17;  // GPIO.CFGF.GPIO44OUTCFG=PUSHPULL
constexpr uint32_t kPin46Output = 1u << 25;  // GPIO.CFGF.GPIO46OUTCFG=PUSHPULL
constexpr uint32_t kPin47Output = 1u << 29;  // GPIO.CFGF.GPIO47OUTCFG=PUSHPULL
constexpr uint32_t kPin44And46And47Mask = 0xff0f0000;
constexpr uint32_t kPinsSetLow = 0x40010090;    // GPIO.WTSA; pins 0 to 31
constexpr uint32_t kPinsClearLow = 0x40010098;  // GPIO.WTCA
constexpr uint32_t kPinsSet = 0x40010094;       // GPIO.WTSB; from pin 32 on
constexpr uint32_t kPinsClear = 0x4001009c;     // GPIO.WTCB

// Serial port, an ARM PL011 (ARM DDI 0183G, section 3.3) with its own clock.
constexpr uint32_t kUartData = 0x4001c000;              // UART0.DR
constexpr uint32_t kUartFlags = 0x4001c018;             // UART0.FR
constexpr uint32_t kUartBusy = 1u << 3;                 // UART0.FR.BUSY=BUSY
constexpr uint32_t kUartNothingReceived = 1u << 4;      // UART0.FR.RXFE=RCVFIFO_EMPTY
constexpr uint32_t kUartSendFull = 1u << 5;             // UART0.FR.TXFF=XMTFIFO_FULL
constexpr uint32_t kUartDivisor = 0x4001c024;           // UART0.IBRD
constexpr uint32_t kUartDivisorFraction = 0x4001c028;   // UART0.FBRD; sixty-fourths
constexpr uint32_t kUartLine = 0x4001c02c;              // UART0.LCRH
constexpr uint32_t kUartFifos = 1u << 4;                // UART0.LCRH.FEN
constexpr uint32_t kUart8Bits = 3u << 5;                // UART0.LCRH.WLEN
constexpr uint32_t kUartControl = 0x4001c030;           // UART0.CR
constexpr uint32_t kUartEnable = 1u << 0;               // UART0.CR.UARTEN
constexpr uint32_t kUartClockEnable = 1u << 3;          // UART0.CR.CLKEN
constexpr uint32_t kUartClock24MHz = 1u << 4;           // UART0.CR.CLKSEL=24MHZ
constexpr uint32_t kUartSendEnable = 1u << 8;           // UART0.CR.TXE
constexpr uint32_t kUartReceiveEnable = 1u << 9;        // UART0.CR.RXE
constexpr uint32_t kUartLevels = 0x4001c034;            // UART0.IFLS; 0: an eighth
constexpr uint32_t kUartEnableInterrupts = 0x4001c038;  // UART0.IER
constexpr uint32_t kUartWhenReceived = 1u << 4;         // UART0.IER.RXIM
constexpr uint32_t kUartWhenSent = 1u << 5;             // UART0.IER.TXIM
constexpr uint32_t kUartWhenReceivedEnds = 1u << 6;     // UART0.IER.RTIM
constexpr uint32_t kUartClearInterrupts = 0x4001c044;   // UART0.IEC

// Counter/timers: A0 wakes the core, A3 triggers the ADC (HAL, am_hal_ctimer_adc_trigger_enable).
constexpr uint32_t kTimer0Compare = 0x40008004;          // CTIMER.CMPRA0
constexpr uint32_t kTimer0Control = 0x4000800c;          // CTIMER.CTRL0
constexpr uint32_t kTimer0Enable = 1u << 0;              // CTIMER.CTRL0.TMRA0EN=EN
constexpr uint32_t kTimer0Clock46875Hz = 4u << 1;        // CTIMER.CTRL0.TMRA0CLK=HFRC_DIV1024
constexpr uint32_t kTimer0Repeat = 1u << 6;              // CTIMER.CTRL0.TMRA0FN=REPEATEDCOUNT
constexpr uint32_t kTimer0Interrupt0 = 1u << 9;          // CTIMER.CTRL0.TMRA0IE0=EN
constexpr uint32_t kTimer0Clear = 1u << 11;              // CTIMER.CTRL0.TMRA0CLR=CLEAR
constexpr uint32_t kTimer3Compare = 0x40008064;          // CTIMER.CMPRA3
constexpr uint32_t kTimer3Control = 0x4000806c;          // CTIMER.CTRL3
constexpr uint32_t kTimer3Enable = 1u << 0;              // CTIMER.CTRL3.TMRA3EN=EN
constexpr uint32_t kTimer3Clock12MHz = 1u << 1;          // CTIMER.CTRL3.TMRA3CLK=HFRC_DIV4
constexpr uint32_t kTimer3Repeat = 1u << 6;              // CTIMER.CTRL3.TMRA3FN=REPEATEDCOUNT
constexpr uint32_t kTimer3Clear = 1u << 11;              // CTIMER.CTRL3.TMRA3CLR=CLEAR
constexpr uint32_t kTimer3Adc = 1u << 15;                // CTIMER.CTRL3.ADCEN
constexpr uint32_t kTimerEnableInterrupts = 0x40008200;  // CTIMER.INTEN
constexpr uint32_t kTimerClearInterrupts = 0x40008208;   // CTIMER.INTCLR
constexpr uint32_t kTimer0Reached = 1u << 0;             // CTIMER.INTEN.CTMRA0C0INT

// System timer: 3 MHz, also in sleep.
constexpr uint32_t kSystemTimerConfig = 0x40008140;  // CTIMER.STCFG; bit 31 freezes it
constexpr uint32_t kSystemTimerClock3MHz = 1u << 0;  // CTIMER.STCFG.CLKSEL=HFRC_DIV16
constexpr uint32_t kSystemTimerClear = 1u << 30;     // CTIMER.STCFG.CLEAR=CLEAR
constexpr uint32_t kSystemTimer = 0x40008144;        // CTIMER.STTMR

// Watchdog. It is not locked, so that it does not run in the bootloader after a soft reset.
constexpr uint32_t kWatchdogConfig = 0x40024000;   // WDT.CFG
constexpr uint32_t kWatchdogEnable = 1u << 0;      // WDT.CFG.WDTEN
constexpr uint32_t kWatchdogResets = 1u << 2;      // WDT.CFG.RESEN
constexpr uint32_t kWatchdog4Seconds = 64u << 8;   // WDT.CFG.RESVAL; ticks
constexpr uint32_t kWatchdogClock16Hz = 2u << 24;  // WDT.CFG.CLKSEL=16HZ
constexpr uint32_t kWatchdogRestart = 0x40024004;  // WDT.RSTRT
constexpr uint32_t kWatchdogRestartKey = 178;      // WDT.RSTRT.RSTRT=KEYVALUE

// ADC. Its FIFO has 16 entries (DS 18.2.7).
constexpr uint32_t kAdcConfig = 0x50010000;            // ADC.CFG
constexpr uint32_t kAdcEnable = 1u << 0;               // ADC.CFG.ADCEN=EN
constexpr uint32_t kAdcRepeat = 1u << 2;               // ADC.CFG.RPTEN=REPEATING_SCAN; timer A3's
constexpr uint32_t kAdcLowLatency = 1u << 4;           // ADC.CFG.CKMODE=LLCKMODE
constexpr uint32_t kAdcSoftwareTrigger = 7u << 16;     // ADC.CFG.TRIGSEL=SWT
constexpr uint32_t kAdcClock48MHz = 1u << 24;          // ADC.CFG.CLKSEL=HFRC
constexpr uint32_t kAdcTrigger = 0x50010008;           // ADC.SWT
constexpr uint32_t kAdcTriggerKey = 55;                // ADC.SWT.SWT=GEN_SW_TRIGGER
constexpr uint32_t kAdcSlot0 = 0x5001000c;             // ADC.SL0CFG
constexpr uint32_t kAdcSlot1 = 0x50010010;             // ADC.SL1CFG
constexpr uint32_t kAdcSlotEnable = 1u << 0;           // ADC.SL0CFG.SLEN0=SLEN
constexpr uint32_t kAdcInput1 = 1u << 8;               // ADC.SL0CFG.CHSEL0=SE1
constexpr uint32_t kAdcInput2 = 2u << 8;               // ADC.SL1CFG.CHSEL1=SE2
constexpr uint32_t kAdcEnableInterrupts = 0x50010200;  // ADC.INTEN
constexpr uint32_t kAdcClearInterrupts = 0x50010208;   // ADC.INTCLR
constexpr uint32_t kAdcDmaDone = 1u << 6;              // ADC.INTEN.DCMP=DMACOMPLETE
constexpr uint32_t kAdcDmaFailed = 1u << 7;            // ADC.INTEN.DERR=DMAERROR
constexpr uint32_t kAdcDmaTriggers = 0x50010240;       // ADC.DMATRIGEN
constexpr uint32_t kAdcDmaAt75Percent = 1u << 0;       // ADC.DMATRIGEN.DFIFO75
constexpr uint32_t kAdcDmaConfig = 0x50010280;         // ADC.DMACFG
constexpr uint32_t kAdcDmaEnable = 1u << 0;            // ADC.DMACFG.DMAEN=EN
constexpr uint32_t kAdcDmaUrgent = 1u << 8;            // ADC.DMACFG.DMAPRI=HIGH
constexpr uint32_t kAdcDmaCount = 0x50010288;          // ADC.DMATOTCOUNT; bytes, whole words
constexpr uint32_t kAdcDmaTarget = 0x5001028c;         // ADC.DMATARGADDR
constexpr uint32_t kAdcDmaStatus = 0x50010290;         // ADC.DMASTAT
constexpr uint32_t kAdcDmaError = 1u << 2;             // ADC.DMASTAT.DMAERR
constexpr uint32_t kAdcData = 0xfffff;                 // ADC.FIFO.DATA; 14 bits, a point, 6 bits
constexpr uint32_t kAdcFractionBits = 6;               // DS 18.2.6

// Interrupt numbers.
constexpr uint32_t kTimerInterrupt = 14;  // CTIMER
constexpr uint32_t kUartInterrupt = 15;   // UART0
constexpr uint32_t kAdcInterrupt = 18;    // ADC

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_SPARKFUN_EDGE_APOLLO3_H_
