// SPDX-License-Identifier: Apache-2.0
// Removes the constant offset of a microphone or a recording.
#ifndef KWS_PIPELINE_DC_OFFSET_H_
#define KWS_PIPELINE_DC_OFFSET_H_

#include <cstddef>
#include <cstdint>

namespace kws {

// Tracks the mean with a time constant of 4.1 s and subtracts it in steps of kStep: samples with a
// mean near zero pass unchanged, and at most 0.4 % of full scale remains. If all samples of the
// first block have the same sign, its mean becomes the offset at once: sound crosses zero many
// times per block, a quiet room with an offset does not.
class DcOffset {
 public:
  static constexpr int32_t kStep = 128;

  void Reset() { *this = DcOffset(); }

  // Subtracts the offset from `count` (1 to 32768) samples in place, saturating, and tracks them.
  void Remove(int16_t* samples, size_t count);

  // The offset that Remove subtracts.
  int32_t offset() const { return mean_ / kOne / kStep * kStep; }

 private:
  static constexpr int32_t kOne = 1 << 16;

  int32_t mean_ = 0;  // full scale: 2^31
  bool has_block_ = false;
};

}  // namespace kws

#endif  // KWS_PIPELINE_DC_OFFSET_H_
