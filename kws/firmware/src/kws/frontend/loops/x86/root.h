// SPDX-License-Identifier: Apache-2.0
// loops/root.h with SSE2.
#ifndef KWS_FRONTEND_LOOPS_X86_ROOT_H_
#define KWS_FRONTEND_LOOPS_X86_ROOT_H_

#include <emmintrin.h>

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/high_word.h"

namespace kws {
namespace frontend {

// Rounded square root of x < 2^48; for x < 2^32 at most 65535, as in the reference. A double
// represents x exactly, and its root precisely enough to round: halves are at least 2^-27 away.
KWS_INLINE uint32_t RoundedSqrt(uint64_t x) {
  const __m128d value = _mm_cvtsi64_sd(_mm_setzero_pd(), static_cast<int64_t>(x));
  const __m128d half = _mm_set_sd(0.5);
  const auto root =
      static_cast<uint32_t>(_mm_cvttsd_si32(_mm_add_sd(_mm_sqrt_sd(value, value), half)));
  return HighWord(x) == 0 && root > 0xFFFF ? 0xFFFF : root;
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_X86_ROOT_H_
