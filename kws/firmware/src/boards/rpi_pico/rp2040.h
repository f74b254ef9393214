// SPDX-License-Identifier: Apache-2.0
// The registers of the RP2040 that the port uses. The name after an address or a bit is the
// vendor's; tests/firmware/test_registers.py compares all of them with the vendor's SVD file. DS:
// the RP2040 datasheet, whose sections describe the bits.
#ifndef KWS_BOARDS_RPI_PICO_RP2040_H_
#define KWS_BOARDS_RPI_PICO_RP2040_H_

#include <cstdint>

#include "boards/cortex_m.h"
#include "boards/interrupts.h"

namespace kws {
namespace board {

// Writes to a peripheral's register + kSetBits or + kClearBits change only the bits that are 1 (DS
// 2.1.2). Not for SIO.
constexpr uint32_t kSetBits = 0x2000;
constexpr uint32_t kClearBits = 0x3000;

// The interface to flash, set up by boot2 (DS 4.10.13).
constexpr uint32_t kFlashControl0 = 0x18000000;      // SSI.CTRLR0
constexpr uint32_t kFlashEepromRead = 3u << 8;       // SSI.CTRLR0.TMOD=EEPROM_READ
constexpr uint32_t kFlashFrame32 = 31u << 16;        // SSI.CTRLR0.DFS_32; less one
constexpr uint32_t kFlashControl1 = 0x18000004;      // SSI.CTRLR1; 0: one frame
constexpr uint32_t kFlashEnable = 0x18000008;        // SSI.SSIENR
constexpr uint32_t kFlashDivisor = 0x18000014;       // SSI.BAUDR; even
constexpr uint32_t kFlashCommands = 0x180000f4;      // SSI.SPI_CTRLR0
constexpr uint32_t kFlashReadCommand = 0x03u << 24;  // SSI.SPI_CTRLR0.XIP_CMD
constexpr uint32_t kFlashCommand8Bit = 2u << 8;      // SSI.SPI_CTRLR0.INST_L=8B
constexpr uint32_t kFlashAddress24Bit = 6u << 2;     // SSI.SPI_CTRLR0.ADDR_L; in 4 bits

// Resets of peripherals (DS 2.14).
constexpr uint32_t kReset = 0x4000c000;      // RESETS.RESET
constexpr uint32_t kResetDone = 0x4000c008;  // RESETS.RESET_DONE
constexpr uint32_t kResetDma = 1u << 2;      // RESETS.RESET.DMA
constexpr uint32_t kResetPins = 1u << 5;     // RESETS.RESET.IO_BANK0
constexpr uint32_t kResetPads = 1u << 8;     // RESETS.RESET.PADS_BANK0
constexpr uint32_t kResetPio = 1u << 10;     // RESETS.RESET.PIO0
constexpr uint32_t kResetPll = 1u << 12;     // RESETS.RESET.PLL_SYS
constexpr uint32_t kResetTimer = 1u << 21;   // RESETS.RESET.TIMER
constexpr uint32_t kResetUart = 1u << 22;    // RESETS.RESET.UART0

// The cause of the last reset of the chip (DS 2.13.8), and the parts that the watchdog resets (DS
// 2.13.5).
constexpr uint32_t kChipReset = 0x40064008;       // VREG_AND_CHIP_RESET.CHIP_RESET
constexpr uint32_t kChipResetWasPower = 1u << 8;  // VREG_AND_CHIP_RESET.CHIP_RESET.HAD_POR
constexpr uint32_t kChipResetWasPin = 1u << 16;   // VREG_AND_CHIP_RESET.CHIP_RESET.HAD_RUN
constexpr uint32_t kWatchdogResets = 0x40010008;  // PSM.WDSEL
constexpr uint32_t kWatchdogResetsAll = 0x1fffc;  // all but the oscillators

// Crystal oscillator (DS 2.16.7) and PLL (DS 2.18.4).
constexpr uint32_t kCrystalControl = 0x40024000;    // XOSC.CTRL
constexpr uint32_t kCrystal1To15Mhz = 0xaa0u << 0;  // XOSC.CTRL.FREQ_RANGE=1_15MHZ
constexpr uint32_t kCrystalEnable = 0xfabu << 12;   // XOSC.CTRL.ENABLE=ENABLE
constexpr uint32_t kCrystalStatus = 0x40024004;     // XOSC.STATUS
constexpr uint32_t kCrystalStable = 1u << 31;       // XOSC.STATUS.STABLE
constexpr uint32_t kCrystalStartup = 0x4002400c;    // XOSC.STARTUP; in 256 cycles
constexpr uint32_t kPllControl = 0x40028000;        // PLL_SYS.CS
constexpr uint32_t kPllReference1 = 1u << 0;        // PLL_SYS.CS.REFDIV
constexpr uint32_t kPllLocked = 1u << 31;           // PLL_SYS.CS.LOCK
constexpr uint32_t kPllPower = 0x40028004;          // PLL_SYS.PWR; 1: off
constexpr uint32_t kPllOff = 1u << 0;               // PLL_SYS.PWR.PD
constexpr uint32_t kPllDividersOff = 1u << 3;       // PLL_SYS.PWR.POSTDIVPD
constexpr uint32_t kPllOscillatorOff = 1u << 5;     // PLL_SYS.PWR.VCOPD
constexpr uint32_t kPllFactor = 0x40028008;         // PLL_SYS.FBDIV_INT
constexpr uint32_t kPllDividers = 0x4002800c;       // PLL_SYS.PRIM
constexpr uint32_t kPllFirst1 = 1u << 16;           // PLL_SYS.PRIM.POSTDIV1; by n: n times
constexpr uint32_t kPllSecond1 = 1u << 12;          // PLL_SYS.PRIM.POSTDIV2; by n: n times

// Clocks (DS 2.15.7). A bit of SELECTED shows the chosen source.
constexpr uint32_t kReferenceControl = 0x40008030;   // CLOCKS.CLK_REF_CTRL
constexpr uint32_t kReferenceCrystal = 2u << 0;      // CLOCKS.CLK_REF_CTRL.SRC=xosc_clksrc
constexpr uint32_t kReferenceSelected = 0x40008038;  // CLOCKS.CLK_REF_SELECTED
constexpr uint32_t kReferenceIsCrystal = 1u << 2;
constexpr uint32_t kCoreControl = 0x4000803c;   // CLOCKS.CLK_SYS_CTRL; AUXSRC 0: PLL
constexpr uint32_t kCoreAuxiliary = 1u << 0;    // CLOCKS.CLK_SYS_CTRL.SRC=clksrc_clk_sys_aux
constexpr uint32_t kCoreSelected = 0x40008044;  // CLOCKS.CLK_SYS_SELECTED
constexpr uint32_t kCoreIsReference = 1u << 0;
constexpr uint32_t kCoreIsAuxiliary = 1u << 1;
constexpr uint32_t kPeripheralControl = 0x40008048;  // CLOCKS.CLK_PERI_CTRL; AUXSRC 0: system
constexpr uint32_t kPeripheralEnable = 1u << 11;     // CLOCKS.CLK_PERI_CTRL.ENABLE

// Watchdog, which also ticks the timer (DS 4.7.6), and timer (DS 4.6.5).
constexpr uint32_t kWatchdogControl = 0x40058000;   // WATCHDOG.CTRL
constexpr uint32_t kWatchdogEnable = 1u << 30;      // WATCHDOG.CTRL.ENABLE
constexpr uint32_t kWatchdogTrigger = 1u << 31;     // WATCHDOG.CTRL.TRIGGER
constexpr uint32_t kWatchdogLoad = 0x40058004;      // WATCHDOG.LOAD
constexpr uint32_t kWatchdogReason = 0x40058008;    // WATCHDOG.REASON
constexpr uint32_t kWatchdogReasonTime = 1u << 0;   // WATCHDOG.REASON.TIMER
constexpr uint32_t kWatchdogReasonForce = 1u << 1;  // WATCHDOG.REASON.FORCE
constexpr uint32_t kTick = 0x4005802c;              // WATCHDOG.TICK
constexpr uint32_t kTickCycles12 = 12u << 0;        // WATCHDOG.TICK.CYCLES
constexpr uint32_t kTickEnable = 1u << 9;           // WATCHDOG.TICK.ENABLE
constexpr uint32_t kTimerAlarm = 0x40054010;        // TIMER.ALARM0; a write starts it
constexpr uint32_t kTimerCount = 0x40054028;        // TIMER.TIMERAWL
constexpr uint32_t kTimerStatus = 0x40054034;       // TIMER.INTR; write 1 to clear
constexpr uint32_t kTimerReached = 1u << 0;         // TIMER.INTR.ALARM_0
constexpr uint32_t kTimerInterrupts = 0x40054038;   // TIMER.INTE
constexpr uint32_t kTimerTellReached = 1u << 0;     // TIMER.INTE.ALARM_0

// Pins: the function of each (DS 2.19.6.1), its pad (DS 2.19.6.3), and output by software (DS
// 2.3.1.7).
constexpr uint32_t kPinControl = 0x40014004;  // IO_BANK0.GPIO0_CTRL
constexpr uint32_t kPinControlBytes = 8;      // from one pin to the next
constexpr uint32_t kPinUart = 2u << 0;        // IO_BANK0.GPIO0_CTRL.FUNCSEL=uart0_tx
constexpr uint32_t kPinSoftware = 5u << 0;    // IO_BANK0.GPIO0_CTRL.FUNCSEL=sio_0
constexpr uint32_t kPinPio = 6u << 0;         // IO_BANK0.GPIO0_CTRL.FUNCSEL=pio0_0
constexpr uint32_t kPad = 0x4001c004;         // PADS_BANK0.GPIO0
constexpr uint32_t kPadBytes = 4;             // from one pin to the next
constexpr uint32_t kPadSchmitt = 1u << 1;     // PADS_BANK0.GPIO0.SCHMITT
constexpr uint32_t kPadPullDown = 1u << 2;    // PADS_BANK0.GPIO0.PDE
constexpr uint32_t kPadPullUp = 1u << 3;      // PADS_BANK0.GPIO0.PUE
constexpr uint32_t kPad4Ma = 1u << 4;         // PADS_BANK0.GPIO0.DRIVE=4mA
constexpr uint32_t kPadInput = 1u << 6;       // PADS_BANK0.GPIO0.IE
constexpr uint32_t kPinsSet = 0xd0000014;     // SIO.GPIO_OUT_SET
constexpr uint32_t kPinsClear = 0xd0000018;   // SIO.GPIO_OUT_CLR
constexpr uint32_t kPinsOutput = 0xd0000024;  // SIO.GPIO_OE_SET

// Serial port, a PL011 (DS 4.2.8).
constexpr uint32_t kUartData = 0x40034000;          // UART0.UARTDR
constexpr uint32_t kUartStatus = 0x40034018;        // UART0.UARTFR
constexpr uint32_t kUartBusy = 1u << 3;             // UART0.UARTFR.BUSY
constexpr uint32_t kUartNothingReceived = 1u << 4;  // UART0.UARTFR.RXFE
constexpr uint32_t kUartFull = 1u << 5;             // UART0.UARTFR.TXFF
constexpr uint32_t kUartDivisor = 0x40034024;       // UART0.UARTIBRD
constexpr uint32_t kUartDivisor64ths = 0x40034028;  // UART0.UARTFBRD
constexpr uint32_t kUartLine = 0x4003402c;          // UART0.UARTLCR_H; applies the divisors
constexpr uint32_t kUartFifos = 1u << 4;            // UART0.UARTLCR_H.FEN
constexpr uint32_t kUart8Bits = 3u << 5;            // UART0.UARTLCR_H.WLEN
constexpr uint32_t kUartControl = 0x40034030;       // UART0.UARTCR
constexpr uint32_t kUartEnable = 1u << 0;           // UART0.UARTCR.UARTEN
constexpr uint32_t kUartSend = 1u << 8;             // UART0.UARTCR.TXE
constexpr uint32_t kUartReceive = 1u << 9;          // UART0.UARTCR.RXE
constexpr uint32_t kUartLevels = 0x40034034;        // UART0.UARTIFLS; 0: an eighth, 4 bytes
constexpr uint32_t kUartInterrupts = 0x40034038;    // UART0.UARTIMSC
constexpr uint32_t kUartTellReceived = 1u << 4;     // UART0.UARTIMSC.RXIM
constexpr uint32_t kUartTellSent = 1u << 5;         // UART0.UARTIMSC.TXIM
constexpr uint32_t kUartTellIdle = 1u << 6;         // UART0.UARTIMSC.RTIM
constexpr uint32_t kUartForget = 0x40034044;        // UART0.UARTICR

// PIO 0 and its state machine 0 (DS 3.7).
constexpr uint32_t kPioControl = 0x50200000;      // PIO0.CTRL
constexpr uint32_t kPioEnable = 1u << 0;          // PIO0.CTRL.SM_ENABLE
constexpr uint32_t kPioRestart = 1u << 4;         // PIO0.CTRL.SM_RESTART
constexpr uint32_t kPioRestartDivisor = 1u << 8;  // PIO0.CTRL.CLKDIV_RESTART
constexpr uint32_t kPioDebug = 0x50200008;        // PIO0.FDEBUG; write 1 to clear
constexpr uint32_t kPioStalled = 1u << 0;         // PIO0.FDEBUG.RXSTALL
constexpr uint32_t kPioReceived = 0x50200020;     // PIO0.RXF0
constexpr uint32_t kPioProgram = 0x50200048;      // PIO0.INSTR_MEM0
constexpr uint32_t kPioDivisor = 0x502000c8;      // PIO0.SM0_CLKDIV
constexpr uint32_t kPioDivisor1 = 1u << 16;       // PIO0.SM0_CLKDIV.INT; by n: n times
constexpr uint32_t kPioDivisor256th = 1u << 8;    // PIO0.SM0_CLKDIV.FRAC; n times
constexpr uint32_t kPioShift = 0x502000d0;        // PIO0.SM0_SHIFTCTRL; IN_SHIFTDIR 0: left
constexpr uint32_t kPioAutoPush = 1u << 16;       // PIO0.SM0_SHIFTCTRL.AUTOPUSH; after 32 bits
constexpr uint32_t kPioReceiveOnly = 1u << 31;    // PIO0.SM0_SHIFTCTRL.FJOIN_RX
constexpr uint32_t kPioExecute = 0x502000d8;      // PIO0.SM0_INSTR
constexpr uint32_t kPioPins = 0x502000dc;         // PIO0.SM0_PINCTRL
constexpr uint32_t kPioSetBase1 = 1u << 5;        // PIO0.SM0_PINCTRL.SET_BASE; pin n: n times
constexpr uint32_t kPioSideBase1 = 1u << 10;      // PIO0.SM0_PINCTRL.SIDESET_BASE; likewise
constexpr uint32_t kPioInBase1 = 1u << 15;        // PIO0.SM0_PINCTRL.IN_BASE; likewise
constexpr uint32_t kPioSet2 = 2u << 26;           // PIO0.SM0_PINCTRL.SET_COUNT
constexpr uint32_t kPioSide2 = 2u << 29;          // PIO0.SM0_PINCTRL.SIDESET_COUNT

// DMA (DS 2.5.7): channel 0 moves samples, channel 1 sets where channel 0 writes next.
constexpr uint32_t kDmaFrom = 0x50000000;        // DMA.CH0_READ_ADDR
constexpr uint32_t kDmaTo = 0x50000004;          // DMA.CH0_WRITE_ADDR
constexpr uint32_t kDmaCount = 0x50000008;       // DMA.CH0_TRANS_COUNT
constexpr uint32_t kDmaControl = 0x50000010;     // DMA.CH0_AL1_CTRL
constexpr uint32_t kDmaStartTo = 0x5000002c;     // DMA.CH0_AL2_WRITE_ADDR_TRIG
constexpr uint32_t kNextFrom = 0x50000040;       // DMA.CH1_READ_ADDR
constexpr uint32_t kNextTo = 0x50000044;         // DMA.CH1_WRITE_ADDR
constexpr uint32_t kNextCount = 0x50000048;      // DMA.CH1_TRANS_COUNT
constexpr uint32_t kNextStart = 0x5000004c;      // DMA.CH1_CTRL_TRIG
constexpr uint32_t kDmaEnable = 1u << 0;         // DMA.CH0_CTRL_TRIG.EN
constexpr uint32_t kDmaUrgent = 1u << 1;         // DMA.CH0_CTRL_TRIG.HIGH_PRIORITY
constexpr uint32_t kDmaWords = 2u << 2;          // DMA.CH0_CTRL_TRIG.DATA_SIZE=SIZE_WORD
constexpr uint32_t kDmaNextRead = 1u << 4;       // DMA.CH0_CTRL_TRIG.INCR_READ
constexpr uint32_t kDmaNextWrite = 1u << 5;      // DMA.CH0_CTRL_TRIG.INCR_WRITE
constexpr uint32_t kDmaRing1 = 1u << 6;          // DMA.CH0_CTRL_TRIG.RING_SIZE; 2^n bytes
constexpr uint32_t kDmaThen1 = 1u << 11;         // DMA.CH0_CTRL_TRIG.CHAIN_TO; n: n times
constexpr uint32_t kDmaFromPio = 4u << 15;       // DMA.CH0_CTRL_TRIG.TREQ_SEL=PIO0_RX0
constexpr uint32_t kDmaAtOnce = 0x3fu << 15;     // DMA.CH0_CTRL_TRIG.TREQ_SEL=PERMANENT
constexpr uint32_t kDmaQuiet = 1u << 21;         // DMA.CH0_CTRL_TRIG.IRQ_QUIET
constexpr uint32_t kDmaInterrupts = 0x50000404;  // DMA.INTE0; a bit per channel
constexpr uint32_t kDmaStatus = 0x5000040c;      // DMA.INTS0; write 1 to clear
constexpr uint32_t kDmaSamples = 1u << 0;        // DMA.INTE0.INTE0; channel 0

// Interrupt numbers.
constexpr uint32_t kTimerInterrupt = 0;  // TIMER_IRQ_0
constexpr uint32_t kDmaInterrupt = 11;   // DMA_IRQ_0
constexpr uint32_t kUartInterrupt = 20;  // UART0_IRQ

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_RPI_PICO_RP2040_H_
