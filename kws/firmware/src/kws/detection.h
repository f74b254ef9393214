// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_DETECTION_H_
#define KWS_DETECTION_H_

#include <cstdint>

namespace kws {

// A word that was heard.
struct Detection {
  enum : int { kNothing = -1 };

  int label = kNothing;  // its index
  uint8_t score = 0;     // its mean score, 0..255
  // The end of the samples that completed it, in ms since the first sample, modulo 2^32.
  uint32_t time_ms = 0;
};

}  // namespace kws

#endif  // KWS_DETECTION_H_
