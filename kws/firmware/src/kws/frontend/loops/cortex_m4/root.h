// SPDX-License-Identifier: Apache-2.0
// loops/root.h with the FPU.
#ifndef KWS_FRONTEND_LOOPS_CORTEX_M4_ROOT_H_
#define KWS_FRONTEND_LOOPS_CORTEX_M4_ROOT_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/high_word.h"

namespace kws {
namespace frontend {

// Rounded square root of x < 2^48; for x < 2^32 at most 65535, as in the reference. The FPU's
// result has 24 bits and is off by at most 2.
KWS_INLINE uint32_t RoundedSqrt(uint64_t x) {
  const float value = static_cast<float>(HighWord(x)) * 4294967296.0f +
                      static_cast<float>(static_cast<uint32_t>(x));
  float approximate;
  float integer;
  asm("vsqrt.f32 %0, %1" : "=t"(approximate) : "t"(value));
  asm("vcvtr.u32.f32 %0, %1" : "=t"(integer) : "t"(approximate));
  uint32_t root;
  asm("vmov %0, %1" : "=r"(root) : "t"(integer));
  // The correct root has root (root - 1) < x <= root (root + 1).
  auto above = static_cast<int32_t>(x - static_cast<uint64_t>(root) * (root - 1));
  if (__builtin_expect(above <= 0, false)) {
    if (root == 0) return 0;
    do {
      --root;
      above += static_cast<int32_t>(2 * root);
    } while (above <= 0);
  }
  while (__builtin_expect(above > static_cast<int32_t>(2 * root), false)) {
    above -= static_cast<int32_t>(2 * root);
    ++root;
  }
  return HighWord(x) == 0 && root > 0xFFFF ? 0xFFFF : root;
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_CORTEX_M4_ROOT_H_
