// SPDX-License-Identifier: Apache-2.0
// An Output that tests can read.
#ifndef KWS_TEST_CORE_RECORDING_OUTPUT_H_
#define KWS_TEST_CORE_RECORDING_OUTPUT_H_

#include <string>
#include <vector>

#include "serial/text.h"

namespace kws {

class RecordingOutput final : public Output {
 public:
  RecordingOutput() { leds_.clear(); }
  void Write(const char* text, size_t size) override { text_.append(text, size); }

  // The LED of the device, for StatusLed.
  static void SetLed(int label) { leds_.push_back(label); }

  const std::string& text() const { return text_; }
  const std::vector<int>& leds() const { return leds_; }
  void Clear() {
    text_.clear();
    leds_.clear();
  }

 private:
  std::string text_;
  inline static std::vector<int> leds_;
};

}  // namespace kws

#endif  // KWS_TEST_CORE_RECORDING_OUTPUT_H_
