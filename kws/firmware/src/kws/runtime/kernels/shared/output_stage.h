// SPDX-License-Identifier: Apache-2.0
// Requantization: from 32-bit sums to int8 outputs.
#ifndef KWS_RUNTIME_KERNELS_SHARED_OUTPUT_STAGE_H_
#define KWS_RUNTIME_KERNELS_SHARED_OUTPUT_STAGE_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/clip.h"
#include "kws/runtime/kernels/loops/processor.h"

namespace kws {

// In the arena, followed by the factors: int32 multipliers, then int8 shifts, one for all channels
// or one per channel.
struct OutputStage {
  int16_t offset;  // the output's zero point
  int8_t min;      // the fused activation's range
  int8_t max;
  uint8_t channel_step;  // 0: one factor for all channels; 1: one each
  bool fast_requantize;  // all shifts are 1 to 20 bits to the right, as in most layers

  bool clips() const { return min != INT8_MIN || max != INT8_MAX; }
};

// Writes the outputs of sums. Passed by value, so that its members stay in registers while outputs
// are written.
class Outputs {
 public:
  Outputs(const OutputStage& stage, const int32_t* factors, int channels)
      : stage_(stage),
        multipliers_(factors),
        shifts_(
            reinterpret_cast<const int8_t*>(factors + (stage.channel_step == 0 ? 1 : channels))) {}

  const OutputStage& stage() const { return stage_; }
  const int32_t* multipliers() const { return multipliers_; }  // from the current channel
  const int8_t* shifts() const { return shifts_; }

  // Advances the current channel, initially 0.
  void Skip(int channels) {
    multipliers_ += channels * stage_.channel_step;
    shifts_ += channels * stage_.channel_step;
  }

  // Whether fast requantization is possible, which only the Cortex-M4 has.
  bool fast_requantize() const { return kHaveDsp && stage_.fast_requantize; }

  // For KWS_SCALE, which saturates to int8 without the activation: Clip() the outputs. Halves are
  // rounded away from zero. `bias` includes the zero point. A sum of 2^30 or more saturates when
  // doubled, and is far outside int8 after the shift.
  struct Factor {
    int32_t multiplier;
    int32_t bias;
    int right;
  };
  // `channel` counts from the current one.
  Factor FastFactor(int channel) const {
    const int i = channel * stage_.channel_step;
    const int right = -shifts_[i];
    return Factor{multipliers_[i], (2 * stage_.offset + 1) * (1 << (right - 1)), right};
  }
  // Outputs of `count` (>= 1) sums, before Clip(). `first` counts from the current channel;
  // `biases` of the same channels may be null. Requires fast_requantize().
  void RequantizeFast(int first, int count, const int32_t* sums, const int32_t* biases,
                      int8_t* to) const;

  // The output of a sum, with any factor. `channel` counts from the current one.
  int8_t At(int channel, int32_t sum) const;

  // The outputs of `count` sums of one channel, `step` bytes apart.
  void WriteChannel(int channel, const int32_t* sums, int count, int8_t* to, int32_t step) const;

  // Clips `count` outputs of fast requantization to the activation's range. At() clips by itself.
  void Clip(int8_t* outputs, int32_t count) const {
    if (kHaveDsp) ClipBytes(stage_.min, stage_.max, outputs, count);
  }

 private:
  OutputStage stage_;
  const int32_t* multipliers_;
  const int8_t* shifts_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_OUTPUT_STAGE_H_
