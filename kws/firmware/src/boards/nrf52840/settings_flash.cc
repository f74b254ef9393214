// SPDX-License-Identifier: Apache-2.0
// The last two pages of flash, for settings (PS 4.3, NVMC). Writes and erases stall the core: 41 us
// for a word, 85 ms for an erase, which is split so that the microphone's interrupts are served.
#include "boards/board.h"
#include "boards/nrf52840/nrf52840.h"

extern "C" {

// From the linker script; use only the address.
extern const uint32_t kws_settings_begin;

}  // extern "C"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPageBytes = 4096;

// Parts of an erase, together at least 85 ms; an interrupt waits for at most one part.
constexpr uint32_t kPartMs = 5;
constexpr int kParts = 18;

// Maximum number of polls per part, at least twice its time even if the core does not stall.
constexpr int kLooks = 100000;

bool IsDone() {
  for (int i = 0; i < kLooks; ++i) {
    if ((Register(kFlashReady) & kFlashIsReady) != 0) return true;
  }
  return false;
}

// Enables writing or erasing flash during its lifetime.
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
