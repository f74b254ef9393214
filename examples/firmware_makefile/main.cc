// SPDX-License-Identifier: Apache-2.0
// Your own firmware with kws's core. It has its own start-up code, input and output. Here these are
// a file and the terminal of the debugger's or emulator's machine (semihosting); on a product, a
// microphone driver and a relay.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "kws/bundle_config.h"
#include "kws/output.h"
#include "kws/pipeline/pipeline.h"
#include "model_data.h"
#include "model_settings.h"
#include "op_resolver.h"

extern "C" {
extern uint32_t stack_top;          // memory.ld
void initialise_monitor_handles();  // newlib: opens the semihosting console
[[noreturn]] void Reset();
}

namespace {

namespace settings = kws::settings;

alignas(16) uint8_t arena[settings::kArenaBytes];
int8_t frames[settings::kInputFrames * kws::Frontend::kChannels];

class Console final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { std::fwrite(text, 1, size, stdout); }
  void SetLed(int) override {}  // switch a relay here
};

int Run() {
  std::FILE* microphone = std::fopen("recording.pcm", "rb");  // int16, 16 kHz, mono
  if (microphone == nullptr) {
    std::puts("error: recording.pcm is missing");
    return 1;
  }
  static Console console;
  static const kws::Model model = kws::GetModel(g_model);
  static settings::ModelOpResolver resolver;
  static constexpr kws::PipelineConfig config = kws::BundleConfig("example", "my_board");
  static kws::Pipeline pipeline(config, {model, resolver}, arena, sizeof(arena),
                                {frames, settings::kInputFrames}, &console);
  if (pipeline.Start() != kws::Status::kOk) return 1;

  int16_t hop[kws::Frontend::kStrideSamples];  // 320 samples, 20 ms
  while (std::fread(hop, sizeof(hop), 1, microphone) == 1) {
    if (pipeline.ProcessHop(hop) != kws::Status::kOk) return 1;
  }
  return 0;
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
