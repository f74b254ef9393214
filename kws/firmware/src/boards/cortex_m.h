// SPDX-License-Identifier: Apache-2.0
// For every port on a Cortex-M4F or M0+: registers by address, start-up code, faults and the stack.
// A port's linker script defines the symbols below; its vector table starts with KWS_CORE_VECTORS.
// Source: ARM DDI 0403E (ARMv7-M), sections B1.5 (exceptions) and B3.2 (system control space); ARM
// DDI 0419E (ARMv6-M), where that differs.
#ifndef KWS_BOARDS_CORTEX_M_H_
#define KWS_BOARDS_CORTEX_M_H_

#include <cstddef>
#include <cstdint>

extern "C" {

// Addresses from the linker script: use only `&symbol`. The stack is at the start of RAM.
extern uint32_t kws_stack_bottom;
extern uint32_t kws_stack_top;
extern uint32_t kws_data_begin;
extern uint32_t kws_data_end;
extern const uint32_t kws_data_image;
extern uint32_t kws_bss_begin;
extern uint32_t kws_bss_end;

[[noreturn]] void KwsReset();
void KwsFaultEntry();

}  // extern "C"

namespace kws {
namespace board {

inline volatile uint32_t& Register(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}

// A zero-terminated string for the serial port.
void WriteText(const char* text);

#ifndef __ARM_ARCH_6M__  // which has no counter
// Cycles of the core while it is awake. The first call starts the counter.
inline uint32_t CountCycles() {
  constexpr uint32_t kDebugControl = 0xe000edfc;  // DEMCR (ARM DDI 0403E, C1.6.5)
  constexpr uint32_t kTraceEnable = 1u << 24;
  constexpr uint32_t kCycleControl = 0xe0001000;  // DWT_CTRL (C1.8.7)
  constexpr uint32_t kCycleEnable = 1u << 0;
  constexpr uint32_t kCycleCount = 0xe0001004;  // DWT_CYCCNT (C1.8.8)
  Register(kDebugControl) |= kTraceEnable;
  Register(kCycleControl) |= kCycleEnable;
  return Register(kCycleCount);
}
#endif

using Vector = void (*)();

// The first 16 entries of a vector table. `nmi`: KwsFaultEntry, unless the chip has a harmless
// non-maskable interrupt.
#define KWS_CORE_VECTORS_WITH_NMI(nmi)                                                            \
  reinterpret_cast<::kws::board::Vector>(&kws_stack_top), KwsReset, nmi,                          \
      KwsFaultEntry /*HardFault*/, KwsFaultEntry /*MemManage*/, KwsFaultEntry /*BusFault*/,       \
      KwsFaultEntry /*UsageFault*/, nullptr, nullptr, nullptr, nullptr, KwsFaultEntry /*SVCall*/, \
      KwsFaultEntry /*DebugMonitor*/, nullptr, KwsFaultEntry /*PendSV*/, KwsFaultEntry /*SysTick*/
#define KWS_CORE_VECTORS KWS_CORE_VECTORS_WITH_NMI(KwsFaultEntry)

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_CORTEX_M_H_
