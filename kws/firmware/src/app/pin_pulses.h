// SPDX-License-Identifier: Apache-2.0
// Sets a pin high for a moment after a keyword: `kws build --pin yes=D2`.
#ifndef KWS_APP_PIN_PULSES_H_
#define KWS_APP_PIN_PULSES_H_

#include <cstddef>
#include <cstdint>

namespace kws {

struct LabelPin {
  const char* label;
  uint32_t pin;  // for board::SetPin
};

// Main loop only. Labels may share a pin, and a label may have several pins.
class PinPulses {
 public:
  // Length of a pulse; up to one inference longer while the main loop is busy.
  static constexpr uint32_t kPulseMs = 200;
  static constexpr size_t kMaxPins = 16;

  // The caller owns `pins`, which must outlive this object. Entries after kMaxPins are ignored.
  PinPulses(const LabelPin* pins, size_t count)
      : pins_(pins), count_(count < kMaxPins ? count : kMaxPins) {}

  // Sets all pins low.
  void Start();

  // Starts or restarts the pulse of `label`'s pins.
  void Hear(const char* label, uint32_t now_ms);

  // Ends pulses. Call it often; `now_ms` wraps.
  void Tick(uint32_t now_ms);

 private:
  const LabelPin* pins_;
  size_t count_;
  bool high_[kMaxPins] = {};
  uint32_t since_ms_[kMaxPins] = {};
};

}  // namespace kws

#endif  // KWS_APP_PIN_PULSES_H_
