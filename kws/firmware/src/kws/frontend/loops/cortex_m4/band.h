// SPDX-License-Identifier: Apache-2.0
// loops/band.h for cores with Arm's DSP extension.
#ifndef KWS_FRONTEND_LOOPS_CORTEX_M4_BAND_H_
#define KWS_FRONTEND_LOOPS_CORTEX_M4_BAND_H_

#include <cstdint>

#include "kws/frontend/always_inline.h"
#include "kws/frontend/loops/bins.h"

namespace kws {
namespace frontend {

// In assembly, because the compiler needs too many registers. Two bins per round; an odd number
// starts in the middle.
template <uint32_t kOne>
KWS_INLINE uint64_t AddBand(uint32_t width, Bins* bins, uint64_t* falling) {
#define KWS_ADD_BIN                        \
  "ldrh %[w], [%[weight]], #2\n"           \
  "ldr %[e], [%[energy]], #4\n"            \
  "umlal %Q[fall], %R[fall], %[e], %[w]\n" \
  "rsb %[w], %[w], %[one]\n"               \
  "umlal %Q[rise], %R[rise], %[e], %[w]\n"
  uint64_t rising;
  uint32_t w, e;
  asm("mov %Q[rise], #0\n"
      "mov %R[rise], #0\n"
      "lsrs %[width], #1\n"
      "adc %[width], #0\n"
      "bcs 2f\n"
      "1:\n"              //
      KWS_ADD_BIN "2:\n"  //
      KWS_ADD_BIN
      "subs %[width], #1\n"
      "bne 1b\n"
      : [width] "+l"(width), [energy] "+r"(bins->energy), [weight] "+r"(bins->weight),
        [fall] "+r"(*falling), [rise] "=&r"(rising), [w] "=&r"(w), [e] "=&r"(e)
      : [one] "r"(kOne)
      : "cc", "memory");
#undef KWS_ADD_BIN
  return rising;
}

}  // namespace frontend
}  // namespace kws

#endif  // KWS_FRONTEND_LOOPS_CORTEX_M4_BAND_H_
