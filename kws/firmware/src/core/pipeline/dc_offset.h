// SPDX-License-Identifier: Apache-2.0
// Takes a microphone's or a recording's constant offset out of its samples.
#ifndef KWS_PIPELINE_DC_OFFSET_H_
#define KWS_PIPELINE_DC_OFFSET_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Follows the mean of the samples with a time constant of 4.1 s and subtracts it, in steps of
// kStep: samples whose mean is near zero pass unchanged, and an offset that matters (it costs the
// frontend headroom, its channels begin at 125 Hz) is gone but for a rest of 0.4 % of full scale.
// If all samples of the first block lie on one side of zero, its mean is the offset at once: sound
// crosses zero many times in a block, a quiet room on an offset does not.
class DcOffset {
 public:
  static constexpr int32_t kStep = 128;

  // The next block is the first.
  void Reset() { *this = DcOffset(); }

  // Subtracts the offset from `count` (1 to 32768) samples in place, saturating, and follows them.
  void Remove(int16_t* samples, size_t count);

  // What Remove subtracts now.
  int32_t offset() const { return mean_ / kOne / kStep * kStep; }

 private:
  static constexpr int32_t kOne = 1 << 16;

  int32_t mean_ = 0;  // of full scale 2^31
  bool has_block_ = false;
};

}  // namespace kws

#endif  // KWS_PIPELINE_DC_OFFSET_H_
