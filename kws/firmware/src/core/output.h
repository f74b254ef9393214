// SPDX-License-Identifier: Apache-2.0
// Where the firmware's text and light go, and the little formatting that its lines need.
#ifndef KWS_OUTPUT_H_
#define KWS_OUTPUT_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// One side of the board as the pipeline sees it. On a device the board's serial port and LED stand
// behind it, on the host a buffer. The caller owns it and keeps it alive as long as its user.
class Output {
 public:
  // `size` bytes of text, no terminating zero. Returns when they are sent or safely queued.
  virtual void Write(const char* text, size_t size) = 0;

  // Shows class `label` (0 silence: the LED is off).
  virtual void SetLed(int label) = 0;

 protected:
  // Nobody deletes through this base, so no virtual destructor and no `operator delete`.
  ~Output() = default;
};

// A zero-terminated string. A null pointer writes nothing.
void WriteText(Output* output, const char* text);

// A number in decimal, without leading zeros.
void WriteNumber(Output* output, uint32_t value);

// What takes the place of a `{}` (a number) or a `{s}` (a text). One word and not two: lines are
// most of what the firmware does besides the model.
struct Field {
  Field(const char* text) : word(reinterpret_cast<uintptr_t>(text)) {}
  Field(uint32_t number) : word(number) {}

  uintptr_t word;
};

// `format` with its `{}` and `{s}` replaced by fields, in order; there must be one of its kind for
// each.
void WriteFormat(Output* output, const char* format, const Field* fields);

// `error: <what>[<detail>]; <remedy>\n`. `detail` and `remedy` may be null.
void WriteError(Output* output, const char* what, const char* detail, const char* remedy);

}  // namespace kws

#endif  // KWS_OUTPUT_H_
