// SPDX-License-Identifier: Apache-2.0
// Copies word by word; where a processor copies larger blocks, the rest.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_COPY_H_
#define KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_COPY_H_

#include <cstdint>
#include <cstring>

#include "kws/runtime/model/flatbuffer.h"

namespace kws {

// Not a call of memcpy, which costs more.
inline void CopyWord(uint8_t* to, const uint8_t* from) {
  const uint32_t word = LoadAs<uint32_t>(from);
  std::memcpy(to, &word, sizeof(word));
}

inline void CopyWords(uint8_t* to, const uint8_t* from, int32_t bytes) {
  for (; bytes >= 4; bytes -= 4) {
    CopyWord(to, from);
    to += 4;
    from += 4;
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_PORTABLE_COPY_H_
