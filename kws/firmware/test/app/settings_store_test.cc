// SPDX-License-Identifier: Apache-2.0
#include "app/settings_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "app/simulated_flash.h"

namespace kws {
namespace {

constexpr uint32_t kOwner = 0x1234;
constexpr int kRecordsPerPage = SimulatedFlash::kPageWords / SettingsStore::kRecordWords;
constexpr int kRecordSteps = static_cast<int>(SettingsStore::kRecordWords);

UserSettings WithGain(int gain) {
  UserSettings settings;
  settings.gain = gain;
  for (size_t i = 0; i < sizeof(settings.thresholds); ++i) {
    settings.thresholds[i] = static_cast<uint8_t>(gain * 7 + static_cast<int>(i));
  }
  return settings;
}

class SettingsStoreTest : public testing::Test {
 protected:
  SettingsStoreTest() { flash = SimulatedFlash(); }

  // As after a reset: only the flash is kept.
  static bool Loads(const UserSettings& expected, uint32_t owner = kOwner) {
    UserSettings settings;
    return SettingsStore().Load(owner, &settings) && settings == expected;
  }
  static bool IsEmpty(uint32_t owner = kOwner) {
    UserSettings settings;
    return !SettingsStore().Load(owner, &settings);
  }
  static void Save(const UserSettings& settings) {
    ASSERT_EQ(SettingsStore().Save(kOwner, settings), Status::kOk);
  }
};

TEST_F(SettingsStoreTest, ErasedFlashHasNoSettings) { EXPECT_TRUE(IsEmpty()); }

TEST_F(SettingsStoreTest, NewestRecordCounts) {
  for (int gain = 0; gain < 10 * kRecordsPerPage; ++gain) {
    Save(WithGain(gain));
    ASSERT_TRUE(Loads(WithGain(gain))) << gain;
  }
}

TEST_F(SettingsStoreTest, PagesWearEqually) {
  const int saves = 20 * kRecordsPerPage;
  for (int i = 0; i < saves; ++i) Save(WithGain(i));
  EXPECT_EQ(flash.erases(0), 10);
  EXPECT_EQ(flash.erases(1), 10);
}

TEST_F(SettingsStoreTest, EqualSettingsAreNotWrittenAgain) {
  Save(WithGain(3));
  const int written = flash.written();
  for (int i = 0; i < 1000; ++i) Save(WithGain(3));
  EXPECT_EQ(flash.written(), written);
}

TEST_F(SettingsStoreTest, SettingsOfAnotherBundleAreIgnored) {
  Save(WithGain(3));
  EXPECT_TRUE(IsEmpty(kOwner + 1));
  ASSERT_EQ(SettingsStore().Save(kOwner + 1, WithGain(5)), Status::kOk);
  EXPECT_TRUE(IsEmpty(kOwner)) << "the newest record counts";
  EXPECT_TRUE(Loads(WithGain(5), kOwner + 1));
}

TEST_F(SettingsStoreTest, DataOfOtherFirmwareIsIgnored) {
  std::mt19937 random(1);
  for (int number = 0; number < board::kSettingsPages; ++number) {
    std::vector<uint32_t> noise(SimulatedFlash::kPageWords);
    for (uint32_t& word : noise) word = static_cast<uint32_t>(random());
    flash.Write(number, 0, noise.data(), noise.size());
  }
  EXPECT_TRUE(IsEmpty());
  Save(WithGain(4));
  EXPECT_TRUE(Loads(WithGain(4)));
}

TEST_F(SettingsStoreTest, OneChangedBitMakesARecordInvalid) {
  Save(WithGain(1));
  Save(WithGain(2));
  for (size_t word = 0; word < SettingsStore::kRecordWords; ++word) {
    for (int bit = 0; bit < 32; ++bit) {
      const size_t at = SettingsStore::kRecordWords + word;
      uint32_t& damaged = const_cast<uint32_t&>(flash.page(0)[at]);
      damaged ^= 1u << bit;
      EXPECT_TRUE(Loads(WithGain(1))) << "word " << word << ", bit " << bit;
      damaged ^= 1u << bit;
    }
  }
}

TEST_F(SettingsStoreTest, BrokenFlashIsReportedAndKeepsTheOldSettings) {
  Save(WithGain(1));
  flash.broken = true;
  EXPECT_EQ(SettingsStore().Save(kOwner, WithGain(2)), Status::kError);
  EXPECT_TRUE(Loads(WithGain(1)));
}

TEST_F(SettingsStoreTest, TheSequenceMayWrap) {
  // Sets the first record's number to shortly before the counter wraps.
  Save(WithGain(1));
  uint32_t record[SettingsStore::kRecordWords];
  std::memcpy(record, flash.page(0), sizeof(record));
  record[1] = ~0u - 2;
  uint32_t crc = ~0u;  // CRC-32, as in zlib
  for (size_t i = 0; i + 1 < SettingsStore::kRecordWords; ++i) {
    crc ^= record[i];
    for (int bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  record[SettingsStore::kRecordWords - 1] = ~crc;
  flash = SimulatedFlash();
  flash.Write(0, 0, record, SettingsStore::kRecordWords);
  ASSERT_TRUE(Loads(WithGain(1)));
  for (int gain = 2; gain < 8; ++gain) {
    Save(WithGain(gain));
    ASSERT_TRUE(Loads(WithGain(gain))) << gain;
  }
}

// Power fails at each step of a save: the settings are the old or the new ones, and the next
// save works. From pages in every state: any number of records, after earlier cuts.
TEST_F(SettingsStoreTest, InterruptedSaveKeepsTheOldSettings) {
  std::mt19937 random(7);
  int cuts = 0, cut_erases = 0, kept_new = 0;
  for (int saves_before = 0; saves_before < 3 * kRecordsPerPage; ++saves_before) {
    for (int step = 0; step <= kRecordSteps + 1; ++step) {
      flash = SimulatedFlash();
      int gain = 0;
      for (int i = 0; i < saves_before; ++i) Save(WithGain(++gain));
      const int erases = flash.erases(0) + flash.erases(1);
      flash.CutAt(step);
      bool cut = false;
      try {
        Save(WithGain(gain + 1));
      } catch (const PowerCut&) {
        cut = true;
      }
      flash.CutAt(SimulatedFlash::kNever);
      cuts += cut;
      const bool in_erase = cut && step == 0 && flash.erases(0) + flash.erases(1) > erases;
      cut_erases += in_erase;
      const bool is_new = Loads(WithGain(gain + 1));
      const bool is_old = gain == 0 ? IsEmpty() : Loads(WithGain(gain));
      ASSERT_TRUE(is_new || is_old) << saves_before << " saves, step " << step;
      ASSERT_TRUE(cut || is_new);
      ASSERT_FALSE(in_erase && is_new);
      kept_new += cut && is_new;
      Save(WithGain(gain + 2));
      ASSERT_TRUE(Loads(WithGain(gain + 2))) << "after a torn save";
    }
  }
  EXPECT_GT(cuts, 100);
  EXPECT_GE(cut_erases, 3);
  EXPECT_LT(kept_new, cuts / 10) << "only a last word's bits may all have been there";
}

TEST_F(SettingsStoreTest, RepeatedInterruptedSavesKeepTheLastWholeRecord) {
  std::mt19937 random(3);
  int last = 0;
  for (int gain = 1; gain < 3000; ++gain) {
    flash.CutAt(static_cast<int>(random() % (2 * kRecordSteps)));
    try {
      Save(WithGain(gain));
      last = gain;
    } catch (const PowerCut&) {
      if (Loads(WithGain(gain))) last = gain;
    }
    flash.CutAt(SimulatedFlash::kNever);
    ASSERT_TRUE(last == 0 ? IsEmpty() : Loads(WithGain(last))) << gain;
  }
  EXPECT_GT(last, 2000);
}

}  // namespace
}  // namespace kws
