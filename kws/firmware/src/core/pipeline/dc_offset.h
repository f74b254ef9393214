// SPDX-License-Identifier: Apache-2.0
// Takes a microphone's constant offset out of its samples.
#ifndef KWS_PIPELINE_DC_OFFSET_H_
#define KWS_PIPELINE_DC_OFFSET_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Follows the mean of the samples with a time constant of 4.1 s and subtracts it, in steps of
// kStep: samples whose mean is near zero, as recordings have it, pass unchanged. So a device hears
// the same samples as the host, and an offset that matters (it costs the frontend headroom, its
// channels begin at 125 Hz) is gone but for a rest of 0.4 % of full scale.
class DcOffset {
 public:
  static constexpr int32_t kStep = 128;

  // Takes the mean of `count` (at most 32768) samples as the offset, for instance of those that are
  // dropped while the microphone settles.
  void Seed(const int16_t* samples, size_t count);

  // Subtracts the offset from `count` (at most 32768) samples in place, saturating, and follows
  // them.
  void Remove(int16_t* samples, size_t count);

  // What Remove subtracts now.
  int32_t offset() const { return mean_ / kOne / kStep * kStep; }

 private:
  static constexpr int32_t kOne = 1 << 16;

  int32_t mean_ = 0;  // of full scale 2^31
};

}  // namespace kws

#endif  // KWS_PIPELINE_DC_OFFSET_H_
