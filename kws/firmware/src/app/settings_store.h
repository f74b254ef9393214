// SPDX-License-Identifier: Apache-2.0
// The user's settings of the console, in the board's flash (board.h).
//
// Two pages hold consecutive records of kRecordWords words. Each save appends a record; the newest
// valid record counts. If a page is full, the other page is erased and used. So the page with the
// newest record is never erased, and a power failure during a save leaves the old settings.
#ifndef KWS_APP_SETTINGS_STORE_H_
#define KWS_APP_SETTINGS_STORE_H_

#include <cstddef>
#include <cstdint>

#include "kws/pipeline/recognizer.h"
#include "kws/status.h"

namespace kws {

struct UserSettings {
  int32_t gain;                                    // dB, in the board's range
  uint8_t thresholds[2 * Recognizer::kMaxLabels];  // in the order of the pipeline's labels

  bool operator==(const UserSettings& other) const;
};

class SettingsStore {
 public:
  static constexpr size_t kRecordWords = 5 + sizeof(UserSettings) / 4;

  // Reads the newest record. False if there is none or it has another `owner` (the bundle's hash,
  // see Console).
  bool Load(uint32_t owner, UserSettings* settings) const;

  // Writes `settings` unless the newest record is equal. Blocks while kRecordWords words are
  // written, and sometimes during an erase. kError: the write failed; the old settings are still
  // there. kOk without effect if the board has no flash for settings.
  Status Save(uint32_t owner, const UserSettings& settings);
};

}  // namespace kws

#endif  // KWS_APP_SETTINGS_STORE_H_
