// SPDX-License-Identifier: Apache-2.0
#include "boards/cortex_m.h"

#include "boards/board.h"

extern "C" int main();

namespace {

using kws::board::Register;
using kws::board::WriteText;

constexpr uint32_t kVectorTable = 0xe000ed08;  // VTOR

constexpr uint32_t kPaint = 0xdeadbeef;

#ifdef __ARM_ARCH_6M__

// No FPU. There is no memory below the stack, so an overflow is a fault; the fault's own push then
// fails too, which stops the core (ARM DDI 0419E, B1.5.15) until the watchdog resets the board.
void PrepareCore() {}

// The core does not store the cause.
void WriteFault() { WriteText("error: processor fault"); }

#else

constexpr uint32_t kCoprocessorAccess = 0xe000ed88;  // CPACR
constexpr uint32_t kMpuControl = 0xe000ed94;
constexpr uint32_t kMpuRegionBase = 0xe000ed9c;
constexpr uint32_t kMpuRegionAttributes = 0xe000eda0;
constexpr uint32_t kFaultStatus = 0xe000ed28;   // CFSR
constexpr uint32_t kFaultAddress = 0xe000ed38;  // BFAR

void WriteHex(uint32_t value) {
  char digits[10] = {'0', 'x'};
  for (int i = 0; i < 8; ++i) digits[2 + i] = "0123456789abcdef"[(value >> (28 - 4 * i)) & 15];
  kws::board::Write(digits, sizeof(digits));
}

// Makes a stack overflow a fault: the MPU forbids access to the 64 KB below the stack (region 0).
void GuardStack() {
  constexpr uint32_t kValid = 1u << 4;
  constexpr uint32_t kSize64K = 15u << 1;
  constexpr uint32_t kEnable = 1u << 0;
  constexpr uint32_t kDefaultMapElsewhere = 1u << 2;
  const uint32_t bottom = reinterpret_cast<uintptr_t>(&kws_stack_bottom);
  Register(kMpuRegionBase) = (bottom - 0x10000u) | kValid;
  Register(kMpuRegionAttributes) = kSize64K | kEnable;
  Register(kMpuControl) = kEnable | kDefaultMapElsewhere;
}

// Full access to the FPU (coprocessors 10 and 11), before any instruction that uses it.
void PrepareCore() {
  Register(kCoprocessorAccess) |= 0xfu << 20;
  GuardStack();
  asm volatile("dsb\n isb" ::: "memory");
}

void WriteFault() {
  WriteText("error: processor fault, status ");
  WriteHex(Register(kFaultStatus));
  WriteText(" address ");
  WriteHex(Register(kFaultAddress));
}

#endif

}  // namespace

extern "C" {

extern const kws::board::Vector kws_vectors[];  // the port's

[[noreturn]] __attribute__((used)) void KwsFault() {
  kws::board::Init();  // the fault may have come before main called it
  WriteFault();
  WriteText("; the stack is too small or the firmware has a bug\n");
  kws::board::Halt(kws::board::Fault::kProcessor);
}

// Resets the stack pointer, since the fault may be a stack overflow.
__attribute__((naked)) void KwsFaultEntry() {
  asm volatile(
      "ldr r0, =kws_stack_top\n"
      "mov sp, r0\n"
      "bl KwsFault\n");
}

// newlib's version would link stdio.
[[noreturn]] void __cxa_pure_virtual() { KwsFault(); }

[[noreturn]] __attribute__((used)) void KwsStart() {
  // A bootloader leaves its own vector table.
  Register(kVectorTable) = reinterpret_cast<uintptr_t>(kws_vectors);
  PrepareCore();
  uint32_t* top;
  asm volatile("mov %0, sp" : "=r"(top));
  for (volatile uint32_t* p = &kws_stack_bottom; p < top; ++p) *p = kPaint;
  const uint32_t* from = &kws_data_image;
  for (uint32_t* to = &kws_data_begin; to < &kws_data_end;) *to++ = *from++;
  for (uint32_t* to = &kws_bss_begin; to < &kws_bss_end;) *to++ = 0;
  main();
  kws::board::Halt(kws::board::Fault::kProcessor);  // main never returns
}

// A bootloader may leave its own stack pointer (SparkFun's does).
__attribute__((naked)) void KwsReset() {
  asm volatile(
      "ldr r0, =kws_stack_top\n"
      "mov sp, r0\n"
      "bl KwsStart\n");
}

}  // extern "C"

namespace kws {
namespace board {

void WriteText(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  Write(text, size);
}

size_t StackSize() {
  return static_cast<size_t>(reinterpret_cast<uintptr_t>(&kws_stack_top) -
                             reinterpret_cast<uintptr_t>(&kws_stack_bottom));
}

size_t StackUsed() {
  const volatile uint32_t* p = &kws_stack_bottom;
  while (p < &kws_stack_top && *p == kPaint) ++p;
  return static_cast<size_t>(reinterpret_cast<uintptr_t>(&kws_stack_top) -
                             reinterpret_cast<uintptr_t>(p));
}

}  // namespace board
}  // namespace kws
