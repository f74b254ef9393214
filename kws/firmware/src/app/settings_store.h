// SPDX-License-Identifier: Apache-2.0
// What a user set on the console, kept in the board's flash (board.h) until it is set again.
//
// Two pages hold records of kRecordWords words, one after the other. Each save writes a new one;
// the newest that is whole counts. When a page is full, the other one is erased and goes on. So a
// save that the power ends anywhere leaves the settings as they were, and the page with the newest
// record is never erased. Per erase there are as many saves as records fit into a page.
#ifndef KWS_APP_SETTINGS_STORE_H_
#define KWS_APP_SETTINGS_STORE_H_

#include <cstddef>
#include <cstdint>

#include "pipeline/recognizer.h"
#include "status.h"

namespace kws {

struct UserSettings {
  int32_t gain = 0;                                     // dB, in the board's range
  uint8_t thresholds[2 * Recognizer::kMaxLabels] = {};  // of the pipeline's labels, in its order

  bool operator==(const UserSettings& other) const;
};

class SettingsStore {
 public:
  static constexpr size_t kRecordWords = 5 + sizeof(UserSettings) / 4;

  // Gives the newest record's settings and returns true; false if there is none, or if it is of
  // something else than `owner` (a number of the bundle, see Console). Reads flash only.
  bool Load(uint32_t owner, UserSettings* settings) const;

  // Keeps `settings`, unless the newest record says the same already. Takes as long as the board
  // needs for kRecordWords words, seldom for an erase too. kError: the flash did not take them,
  // what was kept before is still there. A board without flash for settings keeps none: kOk.
  Status Save(uint32_t owner, const UserSettings& settings);
};

}  // namespace kws

#endif  // KWS_APP_SETTINGS_STORE_H_
