// SPDX-License-Identifier: Apache-2.0
// RISC-V in QEMU's `virt` machine: start-up code, serial port (16550) and exit.
// Source: QEMU's documentation of `virt`, and of its device sifive_test (a write of 0x5555 ends the
// emulator with status 0; of status << 16 | 0x3333, with that status).
#include <cstdint>

#include "cores/line_output.h"
#include "tools/machine.h"

extern "C" {
extern const uint8_t kws_image;  // from the linker script: use only `&symbol`
int main();

__attribute__((naked, used, section(".start"))) void KwsStart() {
  asm volatile(
      ".option push\n"
      ".option norelax\n"
      ".option arch, +zicsr\n"
      "la gp, __global_pointer$\n"
      "la t0, KwsFault\n"
      "csrw mtvec, t0\n"
      ".option pop\n"
      "la sp, kws_stack_top\n"
      "call main\n");
}

[[noreturn]] __attribute__((used, aligned(4))) void KwsFault() { kws::machine::Exit(true); }

[[noreturn]] void __cxa_pure_virtual() { KwsFault(); }
}

namespace kws {
namespace machine {

void Init() {}

const uint8_t* Image() { return &kws_image; }

void Write(const char* text, size_t size) {
  volatile uint8_t* const port = reinterpret_cast<volatile uint8_t*>(0x10000000);
  for (size_t i = 0; i < size; ++i) *port = static_cast<uint8_t>(text[i]);
}

void Exit(bool is_error) {
  *reinterpret_cast<volatile uint32_t*>(0x100000) = is_error ? 0x13333 : 0x5555;
  for (;;) {
  }
}

}  // namespace machine
}  // namespace kws
