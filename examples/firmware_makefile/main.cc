// SPDX-License-Identifier: Apache-2.0
// Your own firmware with kws's core. It has its own start-up code, input and output. Here these are
// a file and the terminal of the debugger's or emulator's machine (semihosting); on a product, a
// microphone driver and a relay.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "kws_yes_no.h"

extern "C" {
extern uint32_t stack_top;          // memory.ld
void initialise_monitor_handles();  // newlib: opens the semihosting console
[[noreturn]] void Reset();
}

namespace {

alignas(16) uint8_t memory[kws::bundle_yes_no_bytes];

int Run() {
  std::FILE* microphone = std::fopen("recording.pcm", "rb");  // int16, 16 kHz, mono
  if (microphone == nullptr) {
    std::puts("error: recording.pcm is missing");
    return 1;
  }
  static kws::Spotter spotter(kws::bundle_yes_no, memory, sizeof(memory));
  if (spotter.Start() != kws::Status::kOk) {
    std::puts(kws::StatusMessage(spotter.status()));
    return 1;
  }
  int16_t samples[320];  // as many as your microphone delivers at a time
  while (const size_t count = std::fread(samples, 2, 320, microphone)) {
    spotter.Push(samples, count, [](const kws::Detection& hit) {
      // Switch a relay here.
      std::printf("Heard %s (%d) @%lums\n", spotter.label(hit.label), hit.score,
                  static_cast<unsigned long>(hit.time_ms));
    });
  }
  return spotter.status() == kws::Status::kOk ? 0 : 1;
}

}  // namespace

extern "C" {

// Arm DDI 0403E, B3.2.20: enables the FPU, before any code uses it.
[[noreturn]] void Reset() {
  *reinterpret_cast<volatile uint32_t*>(0xe000ed88) |= 0xfu << 20;
  asm volatile("dsb\n isb" ::: "memory");
  initialise_monitor_handles();
  std::exit(Run());
}

[[noreturn]] void Stop() {
  for (;;) {
  }
}

__attribute__((used, section(".vectors"))) void* const vectors[16] = {
    &stack_top, reinterpret_cast<void*>(Reset),
    reinterpret_cast<void*>(Stop),  // NMI
    reinterpret_cast<void*>(Stop),  // HardFault
};

// newlib calls these before and after main.
void _init() {}
void _fini() {}

}  // extern "C"
