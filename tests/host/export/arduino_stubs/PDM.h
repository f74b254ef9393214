// SPDX-License-Identifier: Apache-2.0
// Arduino's microphone library for the host: it delivers the samples on stdin.
#ifndef KWS_TEST_PDM_H_
#define KWS_TEST_PDM_H_

#include <cstdio>
#include <cstdlib>

class PdmMicrophone {
 public:
  void onReceive(void (*received)()) { received_ = received; }
  void setBufferSize(int bytes) { size_ = bytes; }
  int begin(int channels, int rate);
  int available() const { return filled_; }
  int read(void* buffer, int bytes) {
    if (bytes > filled_) bytes = filled_;
    for (int i = 0; i < bytes; ++i) static_cast<char*>(buffer)[i] = block_[i];
    filled_ = 0;
    return bytes;
  }

  // The next block from stdin, and its interrupt. False at the end.
  bool Deliver() {
    if (!began_ || size_ > static_cast<int>(sizeof(block_))) std::exit(4);
    filled_ = static_cast<int>(std::fread(block_, 1, static_cast<size_t>(size_), stdin));
    if (filled_ == 0) return false;
    received_();
    return true;
  }

 private:
  void (*received_)() = nullptr;
  bool began_ = false;
  int size_ = 512;
  int filled_ = 0;
  char block_[4096];
};
extern PdmMicrophone PDM;

#endif  // KWS_TEST_PDM_H_
