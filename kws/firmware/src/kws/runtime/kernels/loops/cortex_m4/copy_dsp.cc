// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/loops/portable/copy.h"
#include "kws/runtime/kernels/loops/processor.h"

#if KWS_HAVE_DSP
namespace kws {

void CopyForward(uint8_t* to, const uint8_t* from, int32_t bytes) {
  // Eight words at a time; CopyWords is equivalent.
  if (((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) & 3u) == 0) {
    for (; bytes >= 32; bytes -= 32) {
      __asm__ volatile(
          "ldmia %[from]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n"
          "stmia %[to]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n"
          : [to] "+r"(to), [from] "+r"(from)
          :
          : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "memory");
    }
  }
  CopyWords(to, from, bytes);
}

}  // namespace kws
#endif
