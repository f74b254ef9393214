// SPDX-License-Identifier: Apache-2.0
// The core's clock, the time, sleep, the watchdog and the cause of the last reset.
#ifndef KWS_BOARDS_B_L475E_IOT01A_CLOCK_H_
#define KWS_BOARDS_B_L475E_IOT01A_CLOCK_H_

#include <cstdint>

namespace kws {
namespace board {

// Starts the watchdog, then the core's 80 MHz and the time. If a clock does not start, the watchdog
// resets the board.
void ClockInit();

// Whether the watchdog caused the last reset.
bool WasWatchdog();

// Microseconds since ClockInit, wrapping at 2^32.
uint32_t Microseconds();

// Restarts the watchdog, which resets the board after 4 s (3.7 s to 4.4 s: DS, LSI).
void RestartWatchdog();

// For Halt, with interrupts disabled: sleeps for at most a millisecond.
void Nap();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_B_L475E_IOT01A_CLOCK_H_
