// SPDX-License-Identifier: Apache-2.0
// The core's clock, the time, sleep, the watchdog and the cause of the last reset.
#ifndef KWS_BOARDS_RPI_PICO_CLOCK_H_
#define KWS_BOARDS_RPI_PICO_CLOCK_H_

#include <cstdint>

namespace kws {
namespace board {

constexpr uint32_t kSystemHz = 133000000;  // of the core and all peripherals

// Starts the watchdog, then the core's 133 MHz and the time. If the crystal or the PLL does not
// start, the watchdog resets the board.
void ClockInit();

// Whether a watchdog timeout caused the last reset.
bool WasWatchdog();

// Microseconds since ClockInit, wrapping at 2^32.
uint32_t Microseconds();

// Restarts the watchdog, which resets the board after 4 s.
void RestartWatchdog();

// For Halt, with interrupts disabled: sleeps for at most a millisecond.
void Nap();

// Resets the chip.
[[noreturn]] void Restart();

// Ends the reset of peripherals: bits of RESETS.RESET.
void StartPeripherals(uint32_t bits);

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_RPI_PICO_CLOCK_H_
