// SPDX-License-Identifier: Apache-2.0
// Any Cortex-M in QEMU: vector table, start-up code, and Arm semihosting.
// Sources: Arm DDI 0403E and DDI 0553B (ARMv7-M, ARMv8-M), system control space; Arm "Semihosting
// for AArch32 and AArch64", operations SYS_OPEN, SYS_WRITE and SYS_EXIT_EXTENDED.
#include <cstdint>

#include "cores/line_output.h"
#include "tools/machine.h"

extern "C" {
extern uint32_t kws_stack_top;  // from the linker script: use only `&symbol`
extern const uint8_t kws_image;
int main();
}

namespace {

uint32_t Semihost(uint32_t operation, const void* argument) {
  register uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

constexpr uint32_t kOpen = 0x01;
constexpr uint32_t kWrite = 0x05;
constexpr uint32_t kExitExtended = 0x20;
constexpr uint32_t kApplicationExit = 0x20026;  // ADP_Stopped_ApplicationExit

uintptr_t console = 0;

[[noreturn]] void Fault() { kws::machine::Exit(true); }

}  // namespace

extern "C" {

[[noreturn]] __attribute__((used)) void KwsStart() {
#if __ARM_ARCH >= 7
  // Full access to the FPU and Helium (coprocessors 10 and 11).
  *reinterpret_cast<volatile uint32_t*>(0xe000ed88) |= 0xfu << 20;  // CPACR
  asm volatile("dsb\n isb" ::: "memory");
#else
  // The emulated processor is a Cortex-M3, which allows unaligned addresses; a Cortex-M0 does not.
  *reinterpret_cast<volatile uint32_t*>(0xe000ed14) |= 1u << 3;  // CCR.UNALIGN_TRP
#endif
  main();
  kws::machine::Exit(true);  // main never returns
}

// newlib's version would link stdio.
[[noreturn]] void __cxa_pure_virtual() { Fault(); }

__attribute__((used, section(".start"))) const void* const kws_vectors[] = {
    &kws_stack_top, reinterpret_cast<const void*>(KwsStart),
    reinterpret_cast<const void*>(Fault),  // NMI
    reinterpret_cast<const void*>(Fault),  // HardFault, to which all others escalate
};

}  // extern "C"

namespace kws {
namespace machine {

void Init() {
  static const char kConsole[] = ":tt";
  const uintptr_t block[3] = {reinterpret_cast<uintptr_t>(kConsole), 4 /* for writing */, 3};
  console = Semihost(kOpen, block);
}

const uint8_t* Image() { return &kws_image; }

void Write(const char* text, size_t size) {
  WriteLines(text, size, [](const char* line, size_t length) {
    // The emulator does not wait for a slow reader of its output. It returns what is left.
    while (length > 0) {
      const uintptr_t block[3] = {console, reinterpret_cast<uintptr_t>(line), length};
      const size_t left = Semihost(kWrite, block);
      line += length - left;
      length = left;
    }
  });
}

void Exit(bool is_error) {
  const uint32_t block[2] = {kApplicationExit, is_error ? 1u : 0u};
  Semihost(kExitExtended, block);
  for (;;) {
  }
}

}  // namespace machine
}  // namespace kws
