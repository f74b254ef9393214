// SPDX-License-Identifier: Apache-2.0
// An Output that tests can read.
#ifndef KWS_TEST_CORE_RECORDING_OUTPUT_H_
#define KWS_TEST_CORE_RECORDING_OUTPUT_H_

#include <string>
#include <vector>

#include "kws/output.h"

namespace kws {

class RecordingOutput final : public Output {
 public:
  void Write(const char* text, size_t size) override { text_.append(text, size); }
  void SetLed(int label) override { leds_.push_back(label); }

  const std::string& text() const { return text_; }
  const std::vector<int>& leds() const { return leds_; }
  void Clear() {
    text_.clear();
    leds_.clear();
  }

 private:
  std::string text_;
  std::vector<int> leds_;
};

}  // namespace kws

#endif  // KWS_TEST_CORE_RECORDING_OUTPUT_H_
