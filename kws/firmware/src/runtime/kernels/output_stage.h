// From 32-bit sums to int8 outputs, the same for all kernels that multiply and add.
#ifndef KWS_RUNTIME_KERNELS_OUTPUT_STAGE_H_
#define KWS_RUNTIME_KERNELS_OUTPUT_STAGE_H_

#include <cstdint>

#include "runtime/kernels/dsp.h"
#include "runtime/kernels/fixed_point.h"

namespace kws {

// Kept in the arena.
struct OutputStage {
  int16_t offset;  // the output's zero point
  int8_t min;      // the fused activation's range
  int8_t max;
};

inline int8_t ToInt8(int32_t sum, int32_t multiplier, int shift, const OutputStage& stage) {
  const int32_t scaled = MultiplyByQuantizedMultiplier(sum, multiplier, shift);
  return static_cast<int8_t>(Clamp(WrappingAdd(scaled, stage.offset), stage.min, stage.max));
}

#if KWS_HAVE_DSP
// The rare case, kept out of the loops. By value, so that what it takes can stay in registers.
__attribute__((noinline)) int8_t ExactInt8(int32_t sum, int32_t multiplier, int shift,
                                           OutputStage stage);
#endif

// Output channels one after the other: their factors, and the way from their sums to outputs.
class ChannelStages {
 public:
  // `step` is 0 where all channels share the first factor, else 1.
  ChannelStages(const int32_t* multipliers, const int8_t* shifts, int step,
                const OutputStage& stage)
      : multipliers_(multipliers), shifts_(shifts), step_(step), stage_(stage) {
    Load();
  }

  void SkipTo(int channel) {
    multipliers_ += channel * step_;
    shifts_ += channel * step_;
    Load();
  }
  void Next() { SkipTo(1); }

#if KWS_HAVE_DSP
  // Writes kCount outputs of the channel, `step` bytes apart.
  template <int kCount>
  void Write(const int32_t* sums, int8_t* to, int32_t step) const {
    if (!usual_) {
      for (int i = 0; i < kCount; ++i) {
        to[i * step] = ExactInt8(sums[i], multiplier_, -right_shift_, stage_);
      }
      return;
    }
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      const int32_t scaled = dsp::RoundingHighWord(dsp::SaturatingDouble(sums[i]), multiplier_);
      *to = static_cast<int8_t>(
          dsp::SaturateToInt8((scaled + (scaled >> 31) + bias_) >> right_shift_));
      to += step;
    }
  }

 private:
  // A shift to the right of 1 to 20 bits and no narrowing activation, as most layers have: then a
  // sum of 2^30 or more, which saturates when doubled, is still far beyond int8 after the shift.
  void Load() {
    multiplier_ = *multipliers_;
    right_shift_ = -*shifts_;
    usual_ = static_cast<uint32_t>(right_shift_ - 1) < 20 && stage_.min == INT8_MIN &&
             stage_.max == INT8_MAX;
    // Halves are rounded up, and away from zero where negative; the zero point rides along.
    if (usual_) bias_ = (2 * stage_.offset + 1) * (1 << (right_shift_ - 1));
  }

  int32_t multiplier_;
  int32_t right_shift_;
  int32_t bias_;
  bool usual_;
#else
  // Writes kCount outputs of the channel, `step` bytes apart.
  template <int kCount>
  void Write(const int32_t* sums, int8_t* to, int32_t step) const {
    for (int i = 0; i < kCount; ++i) {
      to[i * step] = ToInt8(sums[i], *multipliers_, *shifts_, stage_);
    }
  }

 private:
  void Load() {}
#endif  // KWS_HAVE_DSP

  const int32_t* multipliers_;
  const int8_t* shifts_;
  int step_;
  OutputStage stage_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_OUTPUT_STAGE_H_
