// SPDX-License-Identifier: Apache-2.0
// The emulator's services through ARM semihosting. Source: ARM IHI "Semihosting for AArch32 and
// AArch64", operation SYS_EXIT_EXTENDED.
#ifndef KWS_BOARDS_QEMU_SEMIHOSTING_H_
#define KWS_BOARDS_QEMU_SEMIHOSTING_H_

#include <cstdint>

namespace kws {
namespace board {

// Ends the emulator; its process exits with `status`.
[[noreturn]] inline void SemihostingExit(uint32_t status) {
  constexpr uint32_t kSysExitExtended = 0x20;
  constexpr uint32_t kApplicationExit = 0x20026;  // ADP_Stopped_ApplicationExit
  const uint32_t block[2] = {kApplicationExit, status};
  register uint32_t operation asm("r0") = kSysExitExtended;
  register const uint32_t* argument asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
  for (;;) {
  }
}

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_QEMU_SEMIHOSTING_H_
