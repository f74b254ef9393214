// SPDX-License-Identifier: Apache-2.0
// The last two pages of flash, for settings (RM 3.3). They are in the second bank: the core
// continues to run from the first one while a page is erased for 22 ms (DS, flash memory), and no
// sample is lost. Words are written in pairs, once after each erase.
#include "boards/b_l475e_iot01a/clock.h"
#include "boards/b_l475e_iot01a/stm32l475.h"
#include "boards/board.h"

extern "C" {

// From the linker script; use only the address.
extern const uint32_t kws_settings_begin;

}  // extern "C"

namespace kws {
namespace board {
namespace {

constexpr uint32_t kPageBytes = 2048;
constexpr uint32_t kBank2 = 0x08080000;  // RM 3.3.1

// An erase takes at most 24.5 ms (DS).
constexpr uint32_t kLongestUs = 100 * 1000;

uint32_t Address(int page) { return reinterpret_cast<uintptr_t>(SettingsPage(page)); }

bool IsDone() {
  const uint32_t begin = Microseconds();
  while ((Register(kFlashStatus) & kFlashBusy) != 0) {
    if (Microseconds() - begin > kLongestUs) return false;
  }
  return true;
}

// Enables changes to flash during its lifetime. The data cache is flushed, and disabled in the
// meantime.
class Unlocked {
 public:
  Unlocked() {
    Register(kFlashAccess) &= ~kFlashCacheData;
    Register(kFlashKey) = kFlashKey1;
    Register(kFlashKey) = kFlashKey2;
    Register(kFlashStatus) = kFlashErrors | kFlashDone;  // an old error blocks later writes
  }
  ~Unlocked() {
    Register(kFlashControl) = kFlashLock;
    Register(kFlashAccess) |= kFlashForgetData;
    Register(kFlashAccess) &= ~kFlashForgetData;
    Register(kFlashAccess) |= kFlashCacheData;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
};

Status Finish() {
  if (!IsDone()) return Status::kError;
  return (Register(kFlashStatus) & kFlashErrors) == 0 ? Status::kOk : Status::kError;
}

}  // namespace

const size_t kSettingsPageWords = kPageBytes / sizeof(uint32_t);

const uint32_t* SettingsPage(int page) {
  return &kws_settings_begin + static_cast<size_t>(page) * kSettingsPageWords;
}

Status EraseSettings(int page) {
  if (!IsDone()) return Status::kError;
  const Unlocked unlocked;
  const uint32_t number = (Address(page) - kBank2) / kPageBytes;
  const uint32_t erase = kFlashErase | kFlashBank2 | number * kFlashPage1;
  Register(kFlashControl) = erase;
  Register(kFlashControl) = erase | kFlashStart;
  return Finish();
}

Status WriteSettings(int page, size_t first, const uint32_t* words, size_t count) {
  if (!IsDone()) return Status::kError;
  const Unlocked unlocked;
  Register(kFlashControl) = kFlashWrite;
  const uint32_t to = Address(page) + static_cast<uint32_t>(first * sizeof(uint32_t));
  for (size_t i = 0; i < count; i += 2) {
    const uint32_t at = to + static_cast<uint32_t>(i * sizeof(uint32_t));
    Register(at) = words[i];
    asm volatile("isb" ::: "memory");  // in order
    Register(at + sizeof(uint32_t)) = words[i + 1];
    KWS_RETURN_IF_ERROR(Finish());
  }
  return Status::kOk;
}

// After a power failure during a write, two words may not match their ECC. Reading them raises a
// non-maskable interrupt (RM 3.3.2). In the settings pages it is ignored, because such words are
// not a valid record; elsewhere flash is broken.
bool ForgiveTornWords() {
  const uint32_t ecc = Register(kFlashEcc);
  if ((ecc & kFlashEccFailed) == 0 || (ecc & kFlashEccBank2) == 0) return false;
  const uint32_t address = kBank2 + (ecc & kFlashEccAddress);
  if (address < Address(0) || address >= Address(0) + kSettingsPages * kPageBytes) return false;
  Register(kFlashEcc) = kFlashEccFailed;
  return true;
}

}  // namespace board
}  // namespace kws

extern "C" void KwsNmi() {
  if (!kws::board::ForgiveTornWords()) KwsFaultEntry();
}
