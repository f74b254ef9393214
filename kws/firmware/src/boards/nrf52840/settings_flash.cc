// SPDX-License-Identifier: Apache-2.0
// The last two pages of flash, for settings (PS 4.3, NVMC). While the controller works, the core
// waits for its next instruction. A word takes 41 us; an erase 85 ms, so it is done in parts,
// between which the microphone's interrupts come in time.
#include "boards/board.h"
#include "boards/nrf52840/nrf52840.h"

extern "C" {

// The linker script's; only the address means anything.
extern const uint32_t kws_settings_begin;

}  // extern "C"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPageBytes = 4096;

// 85 ms and more; an interrupt waits for one part.
constexpr uint32_t kPartMs = 5;
constexpr int kParts = 18;

// A part takes half as long at most as these looks, were the core not stopped meanwhile.
constexpr int kLooks = 100000;

bool IsDone() {
  for (int i = 0; i < kLooks; ++i) {
    if ((Register(kFlashReady) & kFlashIsReady) != 0) return true;
  }
  return false;
}

// What may be done to flash while one of these lives.
class FlashMode {
 public:
  explicit FlashMode(uint32_t mode) { Register(kFlashMode) = mode; }
  ~FlashMode() { Register(kFlashMode) = 0; }
  FlashMode(const FlashMode&) = delete;
  FlashMode& operator=(const FlashMode&) = delete;
};

}  // namespace

const size_t kSettingsPageWords = kPageBytes / sizeof(uint32_t);

const uint32_t* SettingsPage(int page) {
  return &kws_settings_begin + static_cast<size_t>(page) * kSettingsPageWords;
}

Status EraseSettings(int page) {
  const FlashMode erase(kFlashErase);
  Register(kFlashPartMs) = kPartMs;
  for (int i = 0; i < kParts; ++i) {
    if (!IsDone()) return Status::kError;
    Register(kFlashErasePart) = reinterpret_cast<uintptr_t>(SettingsPage(page));
  }
  return IsDone() ? Status::kOk : Status::kError;
}

Status WriteSettings(int page, size_t first, const uint32_t* words, size_t count) {
  const uintptr_t to = reinterpret_cast<uintptr_t>(SettingsPage(page) + first);
  const FlashMode write(kFlashWrite);
  for (size_t i = 0; i < count; ++i) {
    if (!IsDone()) return Status::kError;
    Register(to + i * sizeof(uint32_t)) = words[i];
  }
  return IsDone() ? Status::kOk : Status::kError;
}

}  // namespace board
}  // namespace kws
