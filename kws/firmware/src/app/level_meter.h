// SPDX-License-Identifier: Apache-2.0
// How loud the microphone's samples are, for `level`.
#ifndef KWS_APP_LEVEL_METER_H_
#define KWS_APP_LEVEL_METER_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Of LevelMeter::kSamples samples; full scale is 32768.
struct Level {
  uint32_t peak = 0;     // the largest magnitude
  uint32_t rms = 0;      // about the offset
  int32_t offset = 0;    // the mean
  uint32_t clipped = 0;  // samples at full scale, in thousandths
};

// Measures one second of samples after the other. Main loop only.
class LevelMeter {
 public:
  static constexpr int kSamplesLog2 = 14;  // 1.02 s; 2^n, as the chips cannot divide 64 bits
  static constexpr uint32_t kSamples = 1u << kSamplesLog2;

  void Add(const int16_t* samples, size_t count);

  // The last whole second; zeros before the end of the first.
  const Level& last() const { return last_; }

 private:
  // Adds samples of the second that is being measured.
  void Measure(const int16_t* samples, size_t count);
  void Finish();

  Level last_;
  uint32_t count_ = 0;
  uint32_t peak_ = 0;
  uint32_t clipped_ = 0;
  int32_t sum_ = 0;  // of 2^14 samples of 16 bits: it fits
  uint64_t squares_ = 0;
};

}  // namespace kws

#endif  // KWS_APP_LEVEL_METER_H_
