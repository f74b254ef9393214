// SPDX-License-Identifier: Apache-2.0
// Copies the firmware from flash to RAM and starts it: flash is slower than the core, and cannot be
// read while it is erased.
#include "boards/cortex_m.h"

extern "C" {

// From the linker script; use only the addresses.
extern uint32_t kws_code_begin;
extern uint32_t kws_code_end;
extern const uint32_t kws_code_image;

// The only code that runs in flash, so it calls nothing.
__attribute__((naked, used, section(".load.code"))) void KwsLoad() {
  asm volatile(
      "ldr r0, =kws_code_image\n"
      "ldr r1, =kws_code_begin\n"
      "ldr r2, =kws_code_end\n"
      "1:\n"
      "ldmia r0!, {r3}\n"
      "stmia r1!, {r3}\n"
      "cmp r1, r2\n"
      "blo 1b\n"
      "ldr r0, =KwsReset\n"
      "bx r0\n"
      ".ltorg\n");
}

// What boot2 reads: stack pointer and entry.
__attribute__((used,
               section(".load.vectors"))) extern const kws::board::Vector kws_flash_vectors[] = {
    reinterpret_cast<kws::board::Vector>(&kws_stack_top), KwsLoad};

}  // extern "C"
