// From reset to main(), and what happens when the core takes a fault.
// Source: ARM DDI 0403E (ARMv7-M), sections B1.5 (exceptions) and B3.2 (system control space).
#include <cstddef>
#include <cstdint>

#include "boards/board.h"
#include "boards/qemu/mps2_an386.h"

extern "C" {

// Addresses that the linker script defines; only `&symbol` means anything.
extern uint32_t kws_stack_top;
extern uint32_t kws_data_begin;
extern uint32_t kws_data_end;
extern const uint32_t kws_data_image;
extern uint32_t kws_bss_begin;
extern uint32_t kws_bss_end;

int main();

}  // extern "C"

namespace {

using kws::board::Register;

constexpr uint32_t kCoprocessorAccess = 0xe000ed88;  // CPACR
constexpr uint32_t kMpuControl = 0xe000ed94;
constexpr uint32_t kMpuRegionBase = 0xe000ed9c;
constexpr uint32_t kMpuRegionAttributes = 0xe000eda0;
constexpr uint32_t kFaultStatus = 0xe000ed28;   // CFSR
constexpr uint32_t kFaultAddress = 0xe000ed38;  // BFAR

// The stack lies at the very start of RAM. On this board nothing is below it, and nothing there
// faults; so the MPU forbids the 64 KB below (region 0, no access), and an overflow is heard of.
void GuardStack() {
  constexpr uint32_t kValid = 1u << 4;
  constexpr uint32_t kSize64K = 15u << 1;
  constexpr uint32_t kEnable = 1u << 0;
  constexpr uint32_t kDefaultMapElsewhere = 1u << 2;
  Register(kMpuRegionBase) = (0x20000000u - 0x10000u) | kValid;
  Register(kMpuRegionAttributes) = kSize64K | kEnable;
  Register(kMpuControl) = kEnable | kDefaultMapElsewhere;
}

void WriteText(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  kws::board::Write(text, size);
}

void WriteHex(uint32_t value) {
  char digits[10] = {'0', 'x'};
  for (int i = 0; i < 8; ++i) digits[2 + i] = "0123456789abcdef"[(value >> (28 - 4 * i)) & 15];
  kws::board::Write(digits, sizeof(digits));
}

}  // namespace

extern "C" {

[[noreturn]] __attribute__((used)) void KwsFault() {
  kws::board::Init();  // the fault may have come before main did this
  WriteText("error: processor fault, status ");
  WriteHex(Register(kFaultStatus));
  WriteText(" address ");
  WriteHex(Register(kFaultAddress));
  WriteText("; the stack is too small or the firmware has a bug\n");
  kws::board::Halt();
}

// The fault may be a stack overflow, so start on a fresh one.
__attribute__((naked)) void KwsFaultEntry() {
  asm volatile(
      "ldr r0, =kws_stack_top\n"
      "mov sp, r0\n"
      "b KwsFault\n");
}

// A pure virtual function can be called only by a bug; newlib's version would bring in stdio.
[[noreturn]] void __cxa_pure_virtual() { KwsFault(); }

[[noreturn]] __attribute__((used)) void KwsReset() {
  // Full access to the FPU (coprocessors 10 and 11), before any instruction that uses it.
  Register(kCoprocessorAccess) |= 0xfu << 20;
  GuardStack();
  asm volatile("dsb\n isb" ::: "memory");
  const uint32_t* from = &kws_data_image;
  for (uint32_t* to = &kws_data_begin; to < &kws_data_end;) *to++ = *from++;
  for (uint32_t* to = &kws_bss_begin; to < &kws_bss_end;) *to++ = 0;
  main();
  kws::board::Halt();  // main never returns
}

using Vector = void (*)();

// The first 16 entries; interrupts of peripherals stay disabled.
__attribute__((used, section(".vectors"))) const Vector kws_vectors[16] = {
    reinterpret_cast<Vector>(&kws_stack_top),
    KwsReset,
    KwsFaultEntry,  // NMI
    KwsFaultEntry,  // HardFault
    KwsFaultEntry,  // MemManage
    KwsFaultEntry,  // BusFault
    KwsFaultEntry,  // UsageFault
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    KwsFaultEntry,  // SVCall
    KwsFaultEntry,  // DebugMonitor
    nullptr,
    KwsFaultEntry,  // PendSV
    KwsFaultEntry,  // SysTick
};

}  // extern "C"
