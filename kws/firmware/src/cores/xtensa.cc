// SPDX-License-Identifier: Apache-2.0
// Xtensa's lx106 core in QEMU's `sim` machine: vectors, start-up code, output and exit.
// Sources: Cadence "Xtensa Instruction Set Architecture", exception option; QEMU's documentation of
// simcalls (the call in a2, its arguments from a3 on, the result in a2).
#include <cstdint>

#include "cores/line_output.h"
#include "tools/machine.h"

extern "C" {
extern const uint8_t kws_image;  // from the linker script: use only `&symbol`
int main();

// The emulator starts at the program's first address. All exceptions are errors; their vectors lie
// 16 bytes apart.
asm(".section .start, \"ax\"\n"
    ".align 16\n"
    "KwsVectors:\n"
    "j KwsStart\n"
    ".rept 7\n"
    ".align 16\n"
    "j KwsFault\n"
    ".endr\n"
    ".align 4\n"
    ".literal_position\n"
    ".global KwsStart\n"
    "KwsStart:\n"
    "movi a2, KwsVectors\n"
    "wsr a2, vecbase\n"
    "movi a2, 0\n"
    "wsr a2, ps\n"
    "rsync\n"
    "movi a1, kws_stack_top\n"
    "call0 main\n"
    ".previous\n");

[[noreturn]] __attribute__((used)) void KwsFault() { kws::machine::Exit(true); }

[[noreturn]] void __cxa_pure_virtual() { KwsFault(); }
}

namespace {

constexpr int kExit = 1;
constexpr int kWrite = 4;
constexpr int kStandardOutput = 1;

int Simcall(int call, int first, const void* second, size_t third) {
  register int a2 asm("a2") = call;
  register int a3 asm("a3") = first;
  register const void* a4 asm("a4") = second;
  register size_t a5 asm("a5") = third;
  asm volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
  return a2;
}

}  // namespace

namespace kws {
namespace machine {

void Init() {}

const uint8_t* Image() { return &kws_image; }

void Write(const char* text, size_t size) {
  WriteLines(text, size, [](const char* line, size_t length) {
    while (length > 0) {
      const int written = Simcall(kWrite, kStandardOutput, line, length);
      if (written <= 0) Exit(true);
      line += written;
      length -= static_cast<size_t>(written);
    }
  });
}

void Exit(bool is_error) {
  Simcall(kExit, is_error ? 1 : 0, nullptr, 0);
  for (;;) {
  }
}

}  // namespace machine
}  // namespace kws
