// SPDX-License-Identifier: Apache-2.0
// For the program that tests the models: a line per check on UART0, without interrupts; pauses;
// time, in ticks of the system timer at 3 MHz.
#ifndef KWS_TEST_BOARDS_SPARKFUN_EDGE_APOLLO3_CHECK_H_
#define KWS_TEST_BOARDS_SPARKFUN_EDGE_APOLLO3_CHECK_H_

#include <cstdint>

#include "boards/sparkfun_edge/apollo3.h"

namespace kws {
namespace board {

inline void Put(char byte) {
  while ((Register(kUartFlags) & kUartSendFull) != 0) {
  }
  Register(kUartData) = static_cast<uint8_t>(byte);
}

inline void Put(const char* text) {
  while (*text != '\0') Put(*text++);
}

inline void PutHex(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) Put("0123456789abcdef"[value >> shift & 15]);
}

inline void Check(const char* name, uint32_t got, uint32_t wanted) {
  Put(got == wanted ? "ok " : "wrong ");
  Put(name);
  if (got != wanted) {
    Put(": ");
    PutHex(got);
    Put(", not ");
    PutHex(wanted);
  }
  Put('\n');
}

// Interrupts are enabled in the NVIC and observed as pending, but not taken.
inline bool Pending(uint32_t interrupt) { return (Register(0xe000e200) >> interrupt & 1) != 0; }

// Renode is slow at register accesses and fast at this.
inline void Pause(int instructions) {
  for (int i = 0; i < instructions; ++i) asm volatile("nop");
}

inline void StartSystemTimer() {
  Register(kSystemTimerConfig) = kSystemTimerClear | kSystemTimerClock3MHz;
  Register(kSystemTimerConfig) = kSystemTimerClock3MHz;
}

inline void WaitTicks(uint32_t ticks) {
  const uint32_t begin = Register(kSystemTimer);
  while (Register(kSystemTimer) - begin < ticks) Pause(1000);
}

// At most a second.
inline bool WaitFor(uint32_t address, uint32_t bit) {
  for (uint32_t begin = Register(kSystemTimer); Register(kSystemTimer) - begin < 3000000;) {
    if ((Register(address) & bit) != 0) return true;
    Pause(100);
  }
  return false;
}

inline uint32_t TicksOfLoop() {
  const uint32_t begin = Register(kSystemTimer);
  for (int i = 0; i < 100000; ++i) asm volatile("nop");
  return Register(kSystemTimer) - begin;
}

}  // namespace board
}  // namespace kws

#endif  // KWS_TEST_BOARDS_SPARKFUN_EDGE_APOLLO3_CHECK_H_
