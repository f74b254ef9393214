// SPDX-License-Identifier: Apache-2.0
#include "app/settings_store.h"

#include <cstring>

#include "app/equality.h"
#include "boards/board.h"

namespace kws {
namespace {

constexpr size_t kWords = SettingsStore::kRecordWords;

// Change it together with the record layout, so that records of other firmware are ignored.
constexpr uint32_t kMark = 0x6b777302;
constexpr uint32_t kErased = ~0u;

struct Record {
  uint32_t mark;
  uint32_t sequence;  // incremented by each save
  uint32_t owner;
  UserSettings settings;
  uint32_t unused;    // 0; makes the number of words even
  uint32_t checksum;  // of the words before; written last
};
static_assert(sizeof(Record) == kWords * sizeof(uint32_t), "a record has no padding");
static_assert(kWords % 2 == 0, "some flash is written two words at a time");

// A record's position.
struct Place {
  bool found = false;
  int page = 0;
  size_t word = 0;
};

// CRC-32 (IEEE 802.3), bit by bit: small, and fast enough for a hundred bytes.
uint32_t Checksum(const uint32_t* words, size_t count) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < count; ++i) {
    crc ^= words[i];
    for (int bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

const uint32_t* At(const Place& place) { return board::SettingsPage(place.page) + place.word; }

uint32_t Sequence(const Place& place) { return At(place)[1]; }

bool IsRecord(const uint32_t* words) {
  return words[0] == kMark && words[kWords - 1] == Checksum(words, kWords - 1);
}

bool IsErased(const uint32_t* words) {
  for (size_t i = 0; i < kWords; ++i) {
    if (words[i] != kErased) return false;
  }
  return true;
}

Place Newest() {
  Place newest;
  for (int page = 0; page < board::kSettingsPages; ++page) {
    for (size_t word = 0; word + kWords <= board::kSettingsPageWords; word += kWords) {
      const Place place{true, page, word};
      if (!IsRecord(At(place))) continue;
      if (!newest.found || static_cast<int32_t>(Sequence(place) - Sequence(newest)) > 0) {
        newest = place;
      }
    }
  }
  return newest;
}

// An erased place after the newest record in its page; else the start of the other page. That page
// must be erased even if it reads as erased, because a power failure may have interrupted an erase.
Place Next(const Place& newest, bool* erase) {
  *erase = true;
  if (!newest.found) return {true, 0, 0};
  for (Place place = newest; place.word + kWords <= board::kSettingsPageWords;
       place.word += kWords) {
    if (!IsErased(At(place))) continue;
    *erase = false;
    return place;
  }
  return {true, (newest.page + 1) % board::kSettingsPages, 0};
}

}  // namespace

bool UserSettings::operator==(const UserSettings& other) const {
  bool same = gain == other.gain;
  for (size_t i = 0; i < sizeof(thresholds); ++i) same &= thresholds[i] == other.thresholds[i];
  return same;
}

bool SettingsStore::Load(uint32_t owner, UserSettings* settings) const {
  const Place newest = Newest();
  if (!newest.found) return false;
  Record record;
  std::memcpy(static_cast<void*>(&record), At(newest), sizeof(record));
  if (record.owner != owner) return false;
  *settings = record.settings;
  return true;
}

Status SettingsStore::Save(uint32_t owner, const UserSettings& settings) {
  if (board::kSettingsPageWords == 0) return Status::kOk;
  UserSettings kept;
  if (Load(owner, &kept) && kept == settings) return Status::kOk;
  const Place newest = Newest();
  const Record record = {kMark, newest.found ? Sequence(newest) + 1 : 0, owner, settings, 0, 0};
  uint32_t words[kWords];
  std::memcpy(words, &record, sizeof(words));
  words[kWords - 1] = Checksum(words, kWords - 1);
  bool erase;
  const Place place = Next(newest, &erase);
  if (erase) KWS_RETURN_IF_ERROR(board::EraseSettings(place.page));
  KWS_RETURN_IF_ERROR(board::WriteSettings(place.page, place.word, words, kWords));
  return IsSame(At(place), words, kWords) ? Status::kOk : Status::kError;
}

}  // namespace kws
