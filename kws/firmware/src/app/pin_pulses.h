// SPDX-License-Identifier: Apache-2.0
// Pins that a keyword sets high for a moment: `kws build --pin yes=D2`.
#ifndef KWS_APP_PIN_PULSES_H_
#define KWS_APP_PIN_PULSES_H_

#include <cstddef>
#include <cstdint>

namespace kws {

struct LabelPin {
  const char* label;
  uint32_t pin;  // as board::SetPin takes it
};

// Main loop only. Several labels may have the same pin, and a label several pins.
class PinPulses {
 public:
  // How long a pin is high; up to one inference longer, as long as the main loop is busy.
  static constexpr uint32_t kPulseMs = 200;
  static constexpr size_t kMaxPins = 16;

  // `pins` stays the caller's and must outlive this. At most kMaxPins count.
  PinPulses(const LabelPin* pins, size_t count)
      : pins_(pins), count_(count < kMaxPins ? count : kMaxPins) {}

  // All pins low.
  void Start();

  // `label` was heard: its pins are high from now on. Heard again meanwhile, they are so for the
  // whole time from then on.
  void Hear(const char* label, uint32_t now_ms);

  // Ends pulses whose time is over. Call it often; `now_ms` wraps.
  void Tick(uint32_t now_ms);

 private:
  const LabelPin* pins_;
  size_t count_;
  bool high_[kMaxPins] = {};
  uint32_t since_ms_[kMaxPins] = {};
};

}  // namespace kws

#endif  // KWS_APP_PIN_PULSES_H_
