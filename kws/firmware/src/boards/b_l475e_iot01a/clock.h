// SPDX-License-Identifier: Apache-2.0
// The core's clock, the time, sleep, the watchdog and what caused the last reset.
#ifndef KWS_BOARDS_B_L475E_IOT01A_CLOCK_H_
#define KWS_BOARDS_B_L475E_IOT01A_CLOCK_H_

#include <cstdint>

namespace kws {
namespace board {

// Starts the watchdog, then the core's 80 MHz and the time. What does not answer, the watchdog
// ends.
void ClockInit();

// Whether the watchdog caused the last reset.
bool WasWatchdog();

// Microseconds since ClockInit, wrapping at 2^32.
uint32_t Microseconds();

// From here on it resets the board after 4 s (3.7 s to 4.4 s: DS, LSI).
void RestartWatchdog();

// For Halt, where no interrupt comes: sleeps for a millisecond at most.
void Nap();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_B_L475E_IOT01A_CLOCK_H_
