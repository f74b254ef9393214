// SPDX-License-Identifier: Apache-2.0
// Interrupts: the controller's registers, and critical sections.
#ifndef KWS_BOARDS_INTERRUPTS_H_
#define KWS_BOARDS_INTERRUPTS_H_

#include <cstdint>

#include "boards/cortex_m.h"

namespace kws {
namespace board {

// ARM DDI 0403E: B3.4 (NVIC), B3.2 (SCB). One bit or byte per interrupt.
constexpr uint32_t kNvicEnable = 0xe000e100;
constexpr uint32_t kNvicDisable = 0xe000e180;
constexpr uint32_t kNvicForget = 0xe000e280;
constexpr uint32_t kNvicPriority = 0xe000e400;  // the upper bits of a byte; 0: most urgent
constexpr uint32_t kSystemReset = 0xe000ed0c;   // AIRCR
constexpr uint32_t kSystemResetRequest = 0x05fa0004;
constexpr uint32_t kSystemControl = 0xe000ed10;  // SCR
constexpr uint32_t kSendEventOnPend = 1u << 4;

// `priority`: 0 (most urgent) to 7. A Cortex-M0+ has 2 bits, so it ignores the lowest; its
// registers accept only words (ARM DDI 0419E, B3.4). All other supported chips have 3 bits or more.
inline void EnableInterrupt(uint32_t number, uint32_t priority) {
#ifdef __ARM_ARCH_6M__
  const uint32_t shift = number % 4 * 8;
  volatile uint32_t& word = Register(kNvicPriority + number / 4 * 4);
  word = (word & ~(0xffu << shift)) | priority << (5 + shift);
#else
  *reinterpret_cast<volatile uint8_t*>(kNvicPriority + number) =
      static_cast<uint8_t>(priority << 5);
#endif
  Register(kNvicEnable + number / 32 * 4) = 1u << number % 32;
}

// Disables interrupts during its lifetime.
class InterruptsOff {
 public:
  InterruptsOff() { asm volatile("mrs %0, primask\n cpsid i" : "=r"(before_)::"memory"); }
  ~InterruptsOff() { asm volatile("msr primask, %0" ::"r"(before_) : "memory"); }
  InterruptsOff(const InterruptsOff&) = delete;
  InterruptsOff& operator=(const InterruptsOff&) = delete;

 private:
  uint32_t before_;
};

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_INTERRUPTS_H_
