// SPDX-License-Identifier: Apache-2.0
// The destination of text, and text formatting.
#ifndef KWS_SERIAL_TEXT_H_
#define KWS_SERIAL_TEXT_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Implemented by the board's serial port on a device, by a buffer on the host. Must outlive its
// users.
class Output {
 public:
  // `size` bytes of text, not terminated. Returns when they are sent or queued.
  virtual void Write(const char* text, size_t size) = 0;

 protected:
  // Never deleted through this base: a virtual destructor would link `operator delete`.
  ~Output() = default;
};

// A zero-terminated string. A null pointer writes nothing.
void WriteText(Output* output, const char* text);

// A number in decimal, without leading zeros.
void WriteNumber(Output* output, uint32_t value);

// The value of a `{}` (a number) or a `{s}` (a text). One word, to save flash.
struct Field {
  Field(const char* text) : word(reinterpret_cast<uintptr_t>(text)) {}
  Field(uint32_t number) : word(number) {}

  uintptr_t word;
};

// Writes `format` with its `{}` and `{s}` replaced by `fields`, in order, with matching types.
void WriteFormat(Output* output, const char* format, const Field* fields);

// `error: <what>\n`.
void WriteError(Output* output, const char* what);

}  // namespace kws

#endif  // KWS_SERIAL_TEXT_H_
