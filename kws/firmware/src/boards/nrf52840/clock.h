// SPDX-License-Identifier: Apache-2.0
// The crystal oscillator, the time, sleep, the two watchdogs and the cause of the last reset.
#ifndef KWS_BOARDS_NRF52840_CLOCK_H_
#define KWS_BOARDS_NRF52840_CLOCK_H_

#include <cstdint>

namespace kws {
namespace board {

// Starts crystal, time and watchdogs, and reads the cause of the last reset.
void ClockInit();

// Whether the crystal runs. Without it, the microphone's rate is some percent off.
bool CrystalRuns();

// Microseconds since ClockInit, wrapping at 2^32. Not from interrupts.
uint32_t Microseconds();

// An error line, or null if the last reset was not caused by a fault.
const char* ResetFault();

// Restarts the timer watchdog, which resets the board after 4 s, and the hardware watchdog, which
// resets it after 60 s.
void FeedWatchdogs();

// Used by Halt, with interrupts disabled. Nap sleeps for at most a millisecond and feeds the
// hardware watchdog; call StopTimerWatchdog first.
void StopTimerWatchdog();
void Nap();

// The state after power-on, except for the hardware watchdog, which keeps running.
[[noreturn]] void Restart();

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_CLOCK_H_
