// SPDX-License-Identifier: Apache-2.0
// Simulated flash for settings. It checks how it is used and can lose power at any step. Defines
// the board's functions for settings.
#ifndef KWS_TEST_APP_SIMULATED_FLASH_H_
#define KWS_TEST_APP_SIMULATED_FLASH_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "boards/board.h"

namespace kws {

struct PowerCut {};

class SimulatedFlash {
 public:
  static constexpr size_t kPageWords = 256;
  static constexpr int kNever = -1;

  SimulatedFlash() {
    for (auto& page : pages_) page.assign(kPageWords, ~0u);
  }

  const uint32_t* page(int number) const { return pages_.at(static_cast<size_t>(number)).data(); }

  // The power fails during step `step` from now on (an erase, or a word; 0: the next): some bits of
  // the word, or some words of the page, are written.
  void CutAt(int step) { cut_ = step; }

  void Erase(int number) {
    auto& page = pages_.at(static_cast<size_t>(number));
    ++erases_.at(static_cast<size_t>(number));
    const bool cut = Cut();
    for (uint32_t& word : page) {
      word |= cut ? random_() & random_() : ~0u;
    }
    if (cut && random_() % 4 == 0) page.assign(kPageWords, ~0u);  // it looks erased and may not be
    doubtful_.at(static_cast<size_t>(number)) = cut;
    if (cut) throw PowerCut();
  }

  void Write(int number, size_t first, const uint32_t* words, size_t count) {
    auto& page = pages_.at(static_cast<size_t>(number));
    ASSERT_LE(first + count, kPageWords) << "it ends outside of the page";
    ASSERT_FALSE(doubtful_.at(static_cast<size_t>(number))) << "the page's erase did not end";
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(page[first + i], ~0u) << "the word " << first + i << " is not erased";
      const bool cut = Cut();
      page[first + i] = cut ? words[i] | random_() : words[i];
      if (cut && random_() % 4 == 0) page[first + i] = ~0u;
      if (cut) throw PowerCut();
      ++written_;
    }
  }

  int erases(int number) const { return erases_.at(static_cast<size_t>(number)); }
  int written() const { return written_; }

  // From now on every call fails, without a change.
  bool broken = false;

 private:
  bool Cut() { return cut_ != kNever && cut_-- == 0; }

  std::array<std::vector<uint32_t>, board::kSettingsPages> pages_;
  std::array<int, board::kSettingsPages> erases_{};
  std::array<bool, board::kSettingsPages> doubtful_{};
  int written_ = 0;
  int cut_ = kNever;
  std::mt19937 random_{1};
};

// Each test begins with a new one.
inline SimulatedFlash flash;

namespace board {
const size_t kSettingsPageWords = SimulatedFlash::kPageWords;
const uint32_t* SettingsPage(int page) { return flash.page(page); }
Status EraseSettings(int page) {
  if (flash.broken) return Status::kError;
  flash.Erase(page);
  return Status::kOk;
}
Status WriteSettings(int page, size_t first, const uint32_t* words, size_t count) {
  if (flash.broken) return Status::kError;
  flash.Write(page, first, words, count);
  return Status::kOk;
}
}  // namespace board
}  // namespace kws

#endif  // KWS_TEST_APP_SIMULATED_FLASH_H_
