// From an op's integers to int8 outputs, quickly: the same bits as MultiplyByQuantizedMultiplier
// for values that stay small.
#ifndef KWS_RUNTIME_KERNELS_RESCALE_H_
#define KWS_RUNTIME_KERNELS_RESCALE_H_

#include <cstdint>

#include "runtime/kernel_context.h"
#include "runtime/kernels/dsp.h"
#include "runtime/kernels/fixed_point.h"

namespace kws {

// round(a * b / 2^32), halves towards +infinity: one instruction on the Cortex-M4.
inline int32_t RoundingHighWord(int32_t a, int32_t b) {
#if KWS_HAVE_DSP
  return dsp::RoundingHighWord(a, b);
#else
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + INT64_C(0x80000000)) >> 32);
#endif
}

// Kept in the arena.
struct RescaleParams {
  int32_t multiplier;
  int16_t offset;  // the output's zero point
  int8_t shift;
  int8_t min;
  int8_t max;
};

// The factor, and the output's zero point and fused activation, which is in option `slot`.
Status MakeRescale(const PrepareContext& context, int slot, const QuantizedMultiplier& factor,
                   const Tensor& output, RescaleParams* params);

// A value, so that it stays in registers while outputs are written. Exact for |x| < 2^30.
class Rescale {
 public:
  explicit Rescale(const RescaleParams& params)
      : multiplier_(params.multiplier),
        left_(params.shift > 0 ? params.shift : 0),
        right_(params.shift > 0 ? 0 : -params.shift),
        sign_mask_(right_ == 0 ? 0 : -1),
        half_(right_ == 0 ? 0 : static_cast<int32_t>(1u << (right_ - 1))),
        offset_(params.offset),
        min_(params.min),
        max_(params.max) {}

  int8_t operator()(int32_t x) const {
    const int32_t shifted = WrappingShiftLeft(x, left_);
#if KWS_HAVE_DSP
    // What saturates was shifted to the left, and is far beyond int8 either way.
    const int32_t scaled = dsp::RoundingHighWord(dsp::SaturatingDouble(shifted), multiplier_);
#else
    const int32_t scaled = RoundingHighMul(shifted, multiplier_);
#endif
    // Halves away from zero.
    const int32_t rounded = (scaled + ((scaled >> 31) & sign_mask_) + half_) >> right_;
    return static_cast<int8_t>(Clamp(rounded + offset_, min_, max_));
  }

 private:
  int32_t multiplier_;
  int left_;
  int right_;
  int32_t sign_mask_;
  int32_t half_;
  int32_t offset_;
  int32_t min_;
  int32_t max_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_RESCALE_H_
