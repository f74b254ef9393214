// SPDX-License-Identifier: Apache-2.0
// The I2S library of arduino-pico for the host, as far as a microphone needs it. If the environment
// has LOSE, an overflow is reported after the first samples.
#ifndef KWS_TEST_I2S_H_
#define KWS_TEST_I2S_H_

#include "slots.h"

enum PinMode { INPUT, OUTPUT };

class I2S {
 public:
  explicit I2S(PinMode direction = OUTPUT) { Demand(direction == INPUT, "an output"); }

  bool setBCLK(unsigned pin) {
    Demand(!running_ && pin < 29, "the clock's pin");
    clock_ = static_cast<int>(pin);
    return true;
  }
  bool setDATA(unsigned pin) {
    Demand(!running_ && pin < 30, "the data's pin");
    data_ = static_cast<int>(pin);
    return true;
  }
  bool setBitsPerSample(int bits) {
    Demand(!running_ && bits == 32, "not 32 bits");
    bits_ = bits;
    return true;
  }
  bool setBuffers(size_t buffers, size_t words, int32_t = 0) {
    Demand(!running_ && buffers >= 3 && words >= 8, "buffers");
    words_ = buffers * words;
    return true;
  }
  bool begin(long rate) {
    Demand(!running_ && rate == 16000, "not 16 kHz");
    // The word select is the pin after the clock's.
    Demand(clock_ >= 0 && data_ >= 0 && data_ != clock_ && data_ != clock_ + 1, "pins");
    Demand(bits_ == 32, "not 32 bits");
    Demand(words_ / 2 >= 16000 / 5, "buffers of less than 0.2 s");
    running_ = true;
    return true;
  }
  bool read32(int32_t* left, int32_t* right) {
    Demand(running_, "read too early");
    *left = NextSlot();
    *right = 0x55555555;  // the line is not driven
    return true;
  }
  bool getOverflow() {
    const bool lost = lose_;
    lose_ = false;
    return lost;
  }

 private:
  bool running_ = false;
  bool lose_ = std::getenv("LOSE") != nullptr;
  int clock_ = -1;
  int data_ = -1;
  int bits_ = 16;
  size_t words_ = 0;
};

#endif  // KWS_TEST_I2S_H_
