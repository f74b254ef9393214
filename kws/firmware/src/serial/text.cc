// SPDX-License-Identifier: Apache-2.0
#include "serial/text.h"

#include "serial/lines.h"

namespace kws {

void WriteText(Output* output, const char* text) {
  if (text == nullptr) return;
  size_t size = 0;
  while (text[size] != '\0') ++size;
  if (size > 0) output->Write(text, size);
}

void WriteNumber(Output* output, uint32_t value) {
  char digits[10];  // 2^32 has ten
  size_t first = sizeof(digits);
  do {
    digits[--first] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  output->Write(digits + first, sizeof(digits) - first);
}

void WriteFormat(Output* output, const char* format, const Field* fields) {
  for (;;) {
    size_t size = 0;
    while (format[size] != '\0' && format[size] != '{') ++size;
    if (size > 0) output->Write(format, size);
    if (format[size] == '\0') return;
    format += size + 2;
    const uintptr_t word = fields++->word;
    if (format[-1] == '}') {
      WriteNumber(output, static_cast<uint32_t>(word));
    } else {
      WriteText(output, reinterpret_cast<const char*>(word));
      ++format;
    }
  }
}

void WriteError(Output* output, const char* what) {
  const Field text = what;
  WriteFormat(output, lines::kFailure, &text);
}

}  // namespace kws
