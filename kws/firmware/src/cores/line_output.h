// SPDX-License-Identifier: Apache-2.0
// Collects output, because each call of an emulator is slow.
#ifndef KWS_CORES_LINE_OUTPUT_H_
#define KWS_CORES_LINE_OUTPUT_H_

#include <cstddef>

namespace kws {
namespace machine {

// Passes on `text` when a line ends or the buffer is full. `write`: void(const char*, size_t).
template <typename Write>
void WriteLines(const char* text, size_t size, const Write& write) {
  static char buffer[256];
  static size_t used = 0;
  for (size_t i = 0; i < size; ++i) {
    buffer[used++] = text[i];
    if (text[i] != '\n' && used < sizeof(buffer)) continue;
    write(buffer, used);
    used = 0;
  }
}

}  // namespace machine
}  // namespace kws

#endif  // KWS_CORES_LINE_OUTPUT_H_
