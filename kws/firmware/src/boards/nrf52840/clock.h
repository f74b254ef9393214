// SPDX-License-Identifier: Apache-2.0
// The crystal oscillator, the time, sleep, the two watchdogs and what they say after a reset.
#ifndef KWS_BOARDS_NRF52840_CLOCK_H_
#define KWS_BOARDS_NRF52840_CLOCK_H_

#include <cstdint>

namespace kws {
namespace board {

// Starts crystal, time and watchdogs, and takes the reason of the last reset.
void ClockInit();

// Whether the crystal runs. Without it the microphone's rate is off by some percent.
bool CrystalRuns();

// Microseconds since ClockInit, wrapping at 2^32. Not from interrupts.
uint32_t Microseconds();

// A whole line, or null where the last reset was nobody's fault.
const char* ResetFault();

// From here on the main loop has 4 s until the timer's watchdog resets the board, and whatever
// stops that one has 60 s until the hardware's does.
void FeedWatchdogs();

// For Halt, where no interrupt comes. Nap sleeps for a millisecond at most and feeds the hardware's
// watchdog; call StopTimerWatchdog before.
void StopTimerWatchdog();
void Nap();

// As if the board had been switched on, but that the hardware's watchdog runs on.
[[noreturn]] void Restart();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_CLOCK_H_
