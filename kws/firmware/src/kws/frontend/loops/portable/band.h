// SPDX-License-Identifier: Apache-2.0
// The definition of loops/band.h.
#ifndef KWS_FRONTEND_LOOPS_PORTABLE_BAND_H_
#define KWS_FRONTEND_LOOPS_PORTABLE_BAND_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/loops/bins.h"

namespace kws {
namespace frontend {

template <uint32_t kOne>
KWS_INLINE uint64_t AddBand(uint32_t width, Bins* bins, uint64_t* falling) {
  uint64_t rising = 0;
  for (; width != 0; --width) {
    const uint64_t energy = *bins->energy++;
    const uint32_t weight = *bins->weight++;
    *falling += energy * weight;
    rising += energy * (kOne - weight);
  }
  return rising;
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_PORTABLE_BAND_H_
