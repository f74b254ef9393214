// SPDX-License-Identifier: Apache-2.0
// Loudness of the microphone's samples, for `level`.
#ifndef KWS_APP_LEVEL_METER_H_
#define KWS_APP_LEVEL_METER_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Level of LevelMeter::kSamples samples; full scale is 32768.
struct Level {
  uint32_t peak = 0;     // the largest magnitude
  uint32_t rms = 0;      // about the offset
  int32_t offset = 0;    // the mean
  uint32_t clipped = 0;  // samples at full scale, in thousandths
};

// Measures consecutive blocks of one second. Main loop only.
class LevelMeter {
 public:
  static constexpr int kSamplesLog2 = 14;  // 1.02 s; 2^n, to avoid 64-bit divisions
  static constexpr uint32_t kSamples = 1u << kSamplesLog2;

  void Add(const int16_t* samples, size_t count);

  // The last complete second; zeros before the first.
  const Level& last() const { return last_; }

 private:
  // Adds samples to the current second.
  void Measure(const int16_t* samples, size_t count);
  void Finish();

  Level last_;
  uint32_t count_ = 0;
  uint32_t peak_ = 0;
  uint32_t clipped_ = 0;
  int32_t sum_ = 0;  // 2^14 samples of 16 bits fit
  uint64_t squares_ = 0;
};

}  // namespace kws

#endif  // KWS_APP_LEVEL_METER_H_
