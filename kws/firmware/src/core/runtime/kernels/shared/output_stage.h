// SPDX-License-Identifier: Apache-2.0
// From 32-bit sums to int8 outputs, the same for all kernels that multiply and add.
#ifndef KWS_RUNTIME_KERNELS_SHARED_OUTPUT_STAGE_H_
#define KWS_RUNTIME_KERNELS_SHARED_OUTPUT_STAGE_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"

namespace kws {

// Kept in the arena, the factors behind it: int32 multipliers, then int8 shifts, one of each for
// all channels or one a channel.
struct OutputStage {
  int16_t offset;  // the output's zero point
  int8_t min;      // the fused activation's range
  int8_t max;
  uint8_t channel_step;  // 0: one factor for all channels; 1: one each
  bool fast_requantize;  // all shifts are 1 to 20 bits to the right, as in most layers

  bool clips() const { return min != INT8_MIN || max != INT8_MAX; }
};

// Clips `count` values to an activation's range.
void ClipBytes(int8_t min, int8_t max, int8_t* values, int32_t count);

// Writes outputs, the sums being given. A value: what it holds can stay in registers while outputs,
// which could be anything's bytes, are written.
class Outputs {
 public:
  Outputs(const OutputStage& stage, const int32_t* factors, int channels)
      : stage_(stage),
        multipliers_(factors),
        shifts_(
            reinterpret_cast<const int8_t*>(factors + (stage.channel_step == 0 ? 1 : channels))) {}

  // Goes on to another channel, counted from the present one; the first is 0.
  void Skip(int channels) {
    multipliers_ += channels * stage_.channel_step;
    shifts_ += channels * stage_.channel_step;
  }

  // The usual way, for kernels that keep the factor over many outputs of one channel. Only on the
  // Cortex-M4: on others nothing is usual.
  bool fast_requantize() const { return KWS_HAVE_DSP && stage_.fast_requantize; }
#if KWS_HAVE_DSP
  // For KWS_SCALE, which saturates to int8: Clip() the outputs. Halves are rounded up, and away
  // from zero where negative; the zero point rides along. A sum of 2^30 or more saturates when
  // doubled, and is still far beyond int8 after the shift.
  struct Factor {
    int32_t multiplier;
    int32_t bias;
    int right;
  };
  // Of a channel, counted from the present one.
  Factor FastFactor(int channel) const {
    const int i = channel * stage_.channel_step;
    const int right = -shifts_[i];
    return Factor{multipliers_[i], (2 * stage_.offset + 1) * (1 << (right - 1)), right};
  }
  // The outputs of `count` sums, at least one, where fast_requantize(), but for Clip(), of channels
  // from `first` on, counted from the present one. `biases`, those of the same channels, may be
  // null.
  void RequantizeFast(int first, int count, const int32_t* sums, const int32_t* biases,
                      int8_t* to) const;
#endif

  // The output of a sum, whatever the factor, of a channel counted from the present one. For where
  // a channel has few.
  int8_t At(int channel, int32_t sum) const;

  // Clips `count` outputs that were made the usual way to the activation's range. Others are as
  // they should be.
  void Clip(int8_t* outputs, int32_t count) const {
    if (KWS_HAVE_DSP) ClipBytes(stage_.min, stage_.max, outputs, count);
  }

 private:
  OutputStage stage_;
  const int32_t* multipliers_;
  const int8_t* shifts_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_OUTPUT_STAGE_H_
