// SPDX-License-Identifier: Apache-2.0
// What the C library's strcmp and memcmp say, in a tenth of their flash.
#ifndef KWS_APP_EQUALITY_H_
#define KWS_APP_EQUALITY_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Whether two texts are the same, up to their zeros.
inline bool IsSame(const char* one, const char* other) {
  for (; *one == *other && *one != '\0'; ++one, ++other) {
  }
  return *one == *other;
}

// Whether `count` words are the same.
inline bool IsSame(const uint32_t* one, const uint32_t* other, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (one[i] != other[i]) return false;
  }
  return true;
}

}  // namespace kws

#endif  // KWS_APP_EQUALITY_H_
