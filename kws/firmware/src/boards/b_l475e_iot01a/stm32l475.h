// SPDX-License-Identifier: Apache-2.0
// The registers of the STM32L475 that the port uses. The name after an address or a bit is the
// vendor's; tests/firmware/test_registers.py compares all of them with the vendor's SVD file. RM:
// ST's reference manual RM0351 for the STM32L47xxx, DS: data sheet DS10969 of the STM32L475xx,
// which describe the bits.
#ifndef KWS_BOARDS_B_L475E_IOT01A_STM32L475_H_
#define KWS_BOARDS_B_L475E_IOT01A_STM32L475_H_

#include <cstdint>

#include "boards/cortex_m.h"
#include "boards/interrupts.h"

namespace kws {
namespace board {

// Clocks (RM 6.4).
constexpr uint32_t kClockControl = 0x40021000;      // RCC.CR
constexpr uint32_t kClockHsiOn = 1u << 8;           // RCC.CR.HSION; 16 MHz
constexpr uint32_t kClockHsiReady = 1u << 10;       // RCC.CR.HSIRDY
constexpr uint32_t kClockPllOn = 1u << 24;          // RCC.CR.PLLON
constexpr uint32_t kClockPllReady = 1u << 25;       // RCC.CR.PLLRDY
constexpr uint32_t kClockConfig = 0x40021008;       // RCC.CFGR; no bus divides it
constexpr uint32_t kClockUsePll = 3u << 0;          // RCC.CFGR.SW
constexpr uint32_t kClockIsPll = 3u << 2;           // RCC.CFGR.SWS
constexpr uint32_t kClockPllConfig = 0x4002100c;    // RCC.PLLCFGR; M 0: 1, R 0: 2
constexpr uint32_t kClockPllFromHsi = 2u << 0;      // RCC.PLLCFGR.PLLSRC
constexpr uint32_t kClockPllTimes10 = 10u << 8;     // RCC.PLLCFGR.PLLN
constexpr uint32_t kClockPllDrivesCore = 1u << 24;  // RCC.PLLCFGR.PLLREN
constexpr uint32_t kClockAhb1 = 0x40021048;         // RCC.AHB1ENR
constexpr uint32_t kClockDma1 = 1u << 0;            // RCC.AHB1ENR.DMA1EN
constexpr uint32_t kClockDma2 = 1u << 1;            // RCC.AHB1ENR.DMA2EN
constexpr uint32_t kClockAhb2 = 0x4002104c;         // RCC.AHB2ENR
constexpr uint32_t kClockPortA = 1u << 0;           // RCC.AHB2ENR.GPIOAEN
constexpr uint32_t kClockPortB = 1u << 1;           // RCC.AHB2ENR.GPIOBEN
constexpr uint32_t kClockPortC = 1u << 2;           // RCC.AHB2ENR.GPIOCEN
constexpr uint32_t kClockPortD = 1u << 3;           // RCC.AHB2ENR.GPIODEN
constexpr uint32_t kClockPortE = 1u << 4;           // RCC.AHB2ENR.GPIOEEN
constexpr uint32_t kClockApb1 = 0x40021058;         // RCC.APB1ENR1
constexpr uint32_t kClockTimer = 1u << 0;           // RCC.APB1ENR1.TIM2EN
constexpr uint32_t kClockPower = 1u << 28;          // RCC.APB1ENR1.PWREN
constexpr uint32_t kClockApb2 = 0x40021060;         // RCC.APB2ENR
constexpr uint32_t kClockUart = 1u << 14;           // RCC.APB2ENR.USART1EN
constexpr uint32_t kClockDfsdm = 1u << 24;          // RCC.APB2ENR.DFSDMEN

// The cause of the last reset (RM 6.4.30). Each reset also sets the pin's bit, because the chip
// pulls the pin.
constexpr uint32_t kResetStatus = 0x40021094;     // RCC.CSR
constexpr uint32_t kResetForget = 1u << 23;       // RCC.CSR.RMVF
constexpr uint32_t kResetWasPin = 1u << 26;       // RCC.CSR.PINRSTF
constexpr uint32_t kResetWasPower = 1u << 27;     // RCC.CSR.BORRSTF; power-on too
constexpr uint32_t kResetWasSoftware = 1u << 28;  // RCC.CSR.SFTRSTF
constexpr uint32_t kResetWasWatchdog = 1u << 29;  // RCC.CSR.IWDGRSTF

// Voltage of the core: 80 MHz need range 1 (RM 5.4.1).
constexpr uint32_t kPowerControl = 0x40007000;  // PWR.CR1
constexpr uint32_t kPowerRange1 = 1u << 9;      // PWR.CR1.VOS
constexpr uint32_t kPowerStatus = 0x40007014;   // PWR.SR2
constexpr uint32_t kPowerChanging = 1u << 10;   // PWR.SR2.VOSF

// Flash: its speed and caches, erasing and writing (RM 3.7).
constexpr uint32_t kFlashAccess = 0x40022000;    // FLASH.ACR
constexpr uint32_t kFlashWaits4 = 4u << 0;       // FLASH.ACR.LATENCY
constexpr uint32_t kFlashPrefetch = 1u << 8;     // FLASH.ACR.PRFTEN
constexpr uint32_t kFlashCacheCode = 1u << 9;    // FLASH.ACR.ICEN
constexpr uint32_t kFlashCacheData = 1u << 10;   // FLASH.ACR.DCEN
constexpr uint32_t kFlashForgetData = 1u << 12;  // FLASH.ACR.DCRST; while DCEN is 0
constexpr uint32_t kFlashKey = 0x40022008;       // FLASH.KEYR
constexpr uint32_t kFlashKey1 = 0x45670123;      // FLASH.KEYR.KEYR; RM 3.3.5
constexpr uint32_t kFlashKey2 = 0xcdef89ab;      // FLASH.KEYR.KEYR
constexpr uint32_t kFlashStatus = 0x40022010;    // FLASH.SR; write 1 to clear
constexpr uint32_t kFlashDone = 1u << 0;         // FLASH.SR.EOP
constexpr uint32_t kFlashErrors = 0xc3fa;        // OPERR to FASTERR, RDERR, OPTVERR
constexpr uint32_t kFlashBusy = 1u << 16;        // FLASH.SR.BSY
constexpr uint32_t kFlashControl = 0x40022014;   // FLASH.CR
constexpr uint32_t kFlashWrite = 1u << 0;        // FLASH.CR.PG
constexpr uint32_t kFlashErase = 1u << 1;        // FLASH.CR.PER
constexpr uint32_t kFlashPage1 = 1u << 3;        // FLASH.CR.PNB; page n: n times
constexpr uint32_t kFlashBank2 = 1u << 11;       // FLASH.CR.BKER
constexpr uint32_t kFlashStart = 1u << 16;       // FLASH.CR.START
constexpr uint32_t kFlashLock = 1u << 31;        // FLASH.CR.LOCK
constexpr uint32_t kFlashEcc = 0x40022018;       // FLASH.ECCR
constexpr uint32_t kFlashEccAddress = 0x7ffff;   // FLASH.ECCR.ADDR_ECC; of the bank
constexpr uint32_t kFlashEccBank2 = 1u << 19;    // FLASH.ECCR.BK_ECC
constexpr uint32_t kFlashEccFailed = 1u << 31;   // FLASH.ECCR.ECCD; write 1 to clear

// Ports (RM 8.5), 0x400 bytes each; a pin's field is 1, 2 or 4 bits wide.
constexpr uint32_t kPorts = 0x48000000;  // GPIOA.MODER
constexpr uint32_t kPortBytes = 0x400;
constexpr uint32_t kPortMode = 0x00;
constexpr uint32_t kPortPull = 0x0c;
constexpr uint32_t kPortSet = 0x18;       // the upper half clears
constexpr uint32_t kPortFunction = 0x20;  // pins 0 to 7; then 8 to 15

// DMA controllers (RM 11.6). RM 11.6.7 lists the peripheral of each channel.
constexpr uint32_t kMicDmaStatus = 0x40020000;      // DMA1.ISR
constexpr uint32_t kMicDmaClear = 0x40020004;       // DMA1.IFCR
constexpr uint32_t kMicDmaWhole = 1u << 13;         // DMA1.ISR.TCIF4
constexpr uint32_t kMicDmaHalf = 1u << 14;          // DMA1.ISR.HTIF4
constexpr uint32_t kMicDmaFailed = 1u << 15;        // DMA1.ISR.TEIF4
constexpr uint32_t kMicDmaConfig = 0x40020044;      // DMA1.CCR4
constexpr uint32_t kMicDmaCount = 0x40020048;       // DMA1.CNDTR4
constexpr uint32_t kMicDmaFrom = 0x4002004c;        // DMA1.CPAR4
constexpr uint32_t kMicDmaTo = 0x40020050;          // DMA1.CMAR4
constexpr uint32_t kMicDmaSelect = 0x400200a8;      // DMA1.CSELR
constexpr uint32_t kMicDmaSelectMask = 0xfu << 12;  // DMA1.CSELR.C4S; 0: filter 0 of the DFSDM
constexpr uint32_t kUartDmaStatus = 0x40020400;     // DMA2.ISR
constexpr uint32_t kUartDmaClear = 0x40020404;      // DMA2.IFCR
constexpr uint32_t kSendDmaWhole = 1u << 21;        // DMA2.ISR.TCIF6
constexpr uint32_t kSendDmaFailed = 1u << 23;       // DMA2.ISR.TEIF6
constexpr uint32_t kReceiveDmaFailed = 1u << 27;    // DMA2.ISR.TEIF7
constexpr uint32_t kSendDmaConfig = 0x4002046c;     // DMA2.CCR6
constexpr uint32_t kSendDmaCount = 0x40020470;      // DMA2.CNDTR6
constexpr uint32_t kSendDmaTo = 0x40020474;         // DMA2.CPAR6
constexpr uint32_t kSendDmaFrom = 0x40020478;       // DMA2.CMAR6
constexpr uint32_t kReceiveDmaConfig = 0x40020480;  // DMA2.CCR7
constexpr uint32_t kReceiveDmaCount = 0x40020484;   // DMA2.CNDTR7
constexpr uint32_t kReceiveDmaFrom = 0x40020488;    // DMA2.CPAR7
constexpr uint32_t kReceiveDmaTo = 0x4002048c;      // DMA2.CMAR7
constexpr uint32_t kUartDmaSelect = 0x400204a8;     // DMA2.CSELR
constexpr uint32_t kSendDmaIsUart1 = 2u << 20;      // DMA2.CSELR.C6S
constexpr uint32_t kReceiveDmaIsUart1 = 2u << 24;   // DMA2.CSELR.C7S

// Bits of any channel's configuration.
constexpr uint32_t kDmaEnable = 1u << 0;        // DMA1.CCR4.EN
constexpr uint32_t kDmaTellWhole = 1u << 1;     // DMA1.CCR4.TCIE
constexpr uint32_t kDmaTellHalf = 1u << 2;      // DMA1.CCR4.HTIE
constexpr uint32_t kDmaTellFailed = 1u << 3;    // DMA1.CCR4.TEIE
constexpr uint32_t kDmaToPeripheral = 1u << 4;  // DMA1.CCR4.DIR
constexpr uint32_t kDmaCircular = 1u << 5;      // DMA1.CCR4.CIRC
constexpr uint32_t kDmaNextInMemory = 1u << 7;  // DMA1.CCR4.MINC
constexpr uint32_t kDmaReadWords = 2u << 8;     // DMA1.CCR4.PSIZE
constexpr uint32_t kDmaWriteWords = 2u << 10;   // DMA1.CCR4.MSIZE
constexpr uint32_t kDmaUrgent = 3u << 12;       // DMA1.CCR4.PL

// Serial port (RM 40.8).
constexpr uint32_t kUartControl = 0x40013800;    // USART1.CR1; 0: 8 bits, no parity
constexpr uint32_t kUartEnable = 1u << 0;        // USART1.CR1.UE
constexpr uint32_t kUartReceive = 1u << 2;       // USART1.CR1.RE
constexpr uint32_t kUartSend = 1u << 3;          // USART1.CR1.TE
constexpr uint32_t kUartControl3 = 0x40013808;   // USART1.CR3
constexpr uint32_t kUartReceiveByDma = 1u << 6;  // USART1.CR3.DMAR
constexpr uint32_t kUartSendByDma = 1u << 7;     // USART1.CR3.DMAT
constexpr uint32_t kUartNoOverrun = 1u << 12;    // USART1.CR3.OVRDIS
constexpr uint32_t kUartDivisor = 0x4001380c;    // USART1.BRR; only while it is disabled
constexpr uint32_t kUartStatus = 0x4001381c;     // USART1.ISR
constexpr uint32_t kUartAllSent = 1u << 6;       // USART1.ISR.TC
constexpr uint32_t kUartReceived = 0x40013824;   // USART1.RDR
constexpr uint32_t kUartToSend = 0x40013828;     // USART1.TDR

// Timer (RM 31.4).
constexpr uint32_t kTimerControl = 0x40000000;     // TIM2.CR1
constexpr uint32_t kTimerEnable = 1u << 0;         // TIM2.CR1.CEN
constexpr uint32_t kTimerInterrupts = 0x4000000c;  // TIM2.DIER
constexpr uint32_t kTimerTellReached = 1u << 1;    // TIM2.DIER.CC1IE
constexpr uint32_t kTimerStatus = 0x40000010;      // TIM2.SR; write 0 to clear
constexpr uint32_t kTimerReached = 1u << 1;        // TIM2.SR.CC1IF
constexpr uint32_t kTimerEvents = 0x40000014;      // TIM2.EGR
constexpr uint32_t kTimerUpdate = 1u << 0;         // TIM2.EGR.UG; applies the prescaler
constexpr uint32_t kTimerCount = 0x40000024;       // TIM2.CNT
constexpr uint32_t kTimerPrescaler = 0x40000028;   // TIM2.PSC; less one
constexpr uint32_t kTimerCompare = 0x40000034;     // TIM2.CCR1

// Watchdog (RM 36.4), which counts the 32 kHz of the LSI.
constexpr uint32_t kWatchdogKey = 0x40003000;  // IWDG.KR
constexpr uint32_t kWatchdogStart = 0xcccc;    // RM 36.4.1
constexpr uint32_t kWatchdogUnlock = 0x5555;
constexpr uint32_t kWatchdogReload = 0xaaaa;
constexpr uint32_t kWatchdogPrescaler = 0x40003004;  // IWDG.PR
constexpr uint32_t kWatchdogBy64 = 4u << 0;          // IWDG.PR.PR
constexpr uint32_t kWatchdogCount = 0x40003008;      // IWDG.RLR
constexpr uint32_t kWatchdogStatus = 0x4000300c;     // IWDG.SR; 0: both are applied

// Filter for sigma-delta modulators (RM 24.7, 24.8): channel 0 has the clock's output, channel 2
// the microphones, filter 0 does the work.
constexpr uint32_t kDfsdmClock = 0x40016000;         // DFSDM.CHCFG0R1
constexpr uint32_t kDfsdmEnable = 1u << 31;          // DFSDM.CHCFG0R1.DFSDMEN
constexpr uint32_t kDfsdmDivisor1 = 1u << 16;        // DFSDM.CHCFG0R1.CKOUTDIV; by n: n - 1 times
constexpr uint32_t kDfsdmChannel = 0x40016040;       // DFSDM.CHCFG2R1
constexpr uint32_t kDfsdmFallingEdge = 1u << 0;      // DFSDM.CHCFG2R1.SITP; 0: rising
constexpr uint32_t kDfsdmOwnClock = 1u << 2;         // DFSDM.CHCFG2R1.SPICKSEL
constexpr uint32_t kDfsdmChannelEnable = 1u << 7;    // DFSDM.CHCFG2R1.CHEN
constexpr uint32_t kDfsdmChannel2nd = 0x40016044;    // DFSDM.CHCFG2R2
constexpr uint32_t kDfsdmDrop1Bit = 1u << 3;         // DFSDM.CHCFG2R2.DTRBS; n bits: n times
constexpr uint32_t kDfsdmFilter = 0x40016100;        // DFSDM.DFSDM0_CR1
constexpr uint32_t kDfsdmFilterEnable = 1u << 0;     // DFSDM.DFSDM0_CR1.DFEN
constexpr uint32_t kDfsdmFilterStart = 1u << 17;     // DFSDM.DFSDM0_CR1.RSWSTART
constexpr uint32_t kDfsdmFilterRepeat = 1u << 18;    // DFSDM.DFSDM0_CR1.RCONT
constexpr uint32_t kDfsdmFilterByDma = 1u << 21;     // DFSDM.DFSDM0_CR1.RDMAEN
constexpr uint32_t kDfsdmFilterChannel2 = 2u << 24;  // DFSDM.DFSDM0_CR1.RCH
constexpr uint32_t kDfsdmFilterFast = 1u << 29;      // DFSDM.DFSDM0_CR1.FAST
constexpr uint32_t kDfsdmStatus = 0x40016108;        // DFSDM.DFSDM0_ISR
constexpr uint32_t kDfsdmOverrun = 1u << 3;          // DFSDM.DFSDM0_ISR.ROVRF
constexpr uint32_t kDfsdmClear = 0x4001610c;         // DFSDM.DFSDM0_ICR
constexpr uint32_t kDfsdmClearOverrun = 1u << 3;     // DFSDM.DFSDM0_ICR.CLRROVRF
constexpr uint32_t kDfsdmDecimation = 0x40016114;    // DFSDM.DFSDM0_FCR; the integrator is off
constexpr uint32_t kDfsdmSinc4 = 4u << 29;           // DFSDM.DFSDM0_FCR.FORD
constexpr uint32_t kDfsdmRatio1 = 1u << 16;          // DFSDM.DFSDM0_FCR.FOSR; n: n - 1 times
constexpr uint32_t kDfsdmData = 0x4001611c;          // DFSDM.DFSDM0_RDATAR
constexpr uint32_t kDfsdmDataShift = 8;              // RDATA is the upper 24 bits, signed

// Interrupt numbers.
constexpr uint32_t kMicDmaInterrupt = 14;   // DMA1_Channel4
constexpr uint32_t kTimerInterrupt = 28;    // TIM2
constexpr uint32_t kSendDmaInterrupt = 68;  // DMA2_Channel6

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_B_L475E_IOT01A_STM32L475_H_
