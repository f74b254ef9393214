// SPDX-License-Identifier: Apache-2.0
// The registers of the MPS2 board with FPGA image AN386 (Cortex-M4F, 25 MHz) that the port uses.
// Sources: Arm DAI 0386D (memory map), DDI 0479D "Cortex-M System Design Kit" (UART, timer).
#ifndef KWS_BOARDS_QEMU_MPS2_AN386_H_
#define KWS_BOARDS_QEMU_MPS2_AN386_H_

#include <cstdint>

#include "boards/cortex_m.h"

namespace kws {
namespace board {

constexpr uint32_t kUart0Data = 0x40004000;
constexpr uint32_t kUart0State = 0x40004004;
constexpr uint32_t kUart0Control = 0x40004008;
constexpr uint32_t kUart0BaudDivider = 0x40004010;
constexpr uint32_t kUartTransmitFull = 1u << 0;    // in State
constexpr uint32_t kUartTransmitEnable = 1u << 0;  // in Control

// First timer of the CMSDK dual timer; it counts down from 2^32 - 1.
constexpr uint32_t kTimerValue = 0x40002004;
constexpr uint32_t kTimerControl = 0x40002008;
constexpr uint32_t kTimerEnable = 1u << 7;
constexpr uint32_t kTimerPrescale256 = 2u << 2;
constexpr uint32_t kTimer32Bit = 1u << 1;

constexpr uint32_t kSystemClock = 25000000;  // Hz

// 16 MB of PSRAM. The emulator's command line places a file here before the start.
constexpr uint32_t kPsram = 0x21000000;
constexpr uint32_t kPsramBytes = 16u << 20;

// Ends the emulator's process with status 0; Halt() ends it with 1.
[[noreturn]] void Exit();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_QEMU_MPS2_AN386_H_
