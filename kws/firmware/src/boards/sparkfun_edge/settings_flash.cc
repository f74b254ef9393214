// SPDX-License-Identifier: Apache-2.0
// The last two pages of flash, for settings. Functions in the chip's ROM erase and write flash;
// their arguments are from HAL, am_hal_flash.c. Meanwhile flash cannot be read, so interrupts are
// disabled. A word takes less than the 100 us of the ADC's FIFO; an erase takes longer
// (undocumented) and loses sound.
#include "boards/board.h"
#include "boards/sparkfun_edge/apollo3.h"

extern "C" {

// From the linker script; use only the address.
extern const uint32_t kws_settings_begin;

}  // extern "C"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPageBytes = 8192;
constexpr uint32_t kInstanceBytes = 512 * 1024;

// Addresses of ROM code, with the Thumb bit.
constexpr uintptr_t kRomErasePage = 0x08000051;
constexpr uintptr_t kRomWriteWords = 0x08000055;
constexpr uint32_t kFlashKey = 0x12344321;

using ErasePage = int (*)(uint32_t key, uint32_t instance, uint32_t page);
using WriteWords = int (*)(uint32_t key, const uint32_t* from, const uint32_t* to, uint32_t count);

// The cache may hold old content.
Status Finish(int result) {
  Register(kCacheControl) = kCacheInvalidate;
  return result == 0 ? Status::kOk : Status::kError;
}

}  // namespace

const size_t kSettingsPageWords = kPageBytes / sizeof(uint32_t);

const uint32_t* SettingsPage(int page) {
  return &kws_settings_begin + static_cast<size_t>(page) * kSettingsPageWords;
}

Status EraseSettings(int page) {
  const uint32_t address = reinterpret_cast<uintptr_t>(SettingsPage(page));
  const InterruptsOff off;
  return Finish(reinterpret_cast<ErasePage>(kRomErasePage)(kFlashKey, address / kInstanceBytes,
                                                           address % kInstanceBytes / kPageBytes));
}

// Word by word, so that interrupts are served in between.
Status WriteSettings(int page, size_t first, const uint32_t* words, size_t count) {
  const uint32_t* to = SettingsPage(page) + first;
  for (size_t i = 0; i < count; ++i) {
    const InterruptsOff off;
    KWS_RETURN_IF_ERROR(
        Finish(reinterpret_cast<WriteWords>(kRomWriteWords)(kFlashKey, words + i, to + i, 1)));
  }
  return Status::kOk;
}

}  // namespace board
}  // namespace kws
