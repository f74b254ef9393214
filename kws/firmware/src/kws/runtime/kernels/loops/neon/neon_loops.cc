// SPDX-License-Identifier: Apache-2.0
// Dot products and the requantization of a channel with AArch64's vector instructions.
// Source: Arm, "Neon Intrinsics Reference" (IHI 0073).
#include "kws/runtime/kernels/loops/four_dots.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/output_stage.h"

#if KWS_HAVE_NEON
#include <arm_neon.h>

namespace kws {
namespace {

// A sum that wraps around.
void Accumulate(int32_t* sum, int32_t product) {
  *sum = static_cast<int32_t>(static_cast<uint32_t>(*sum) + static_cast<uint32_t>(product));
}

template <typename Weight>
void AddOne(const FourDots& shape, const Weight* weights, const int16_t* values, int32_t from,
            int32_t* sums) {
  for (int k = 0; k < kFourDots; ++k) {
    for (int32_t i = from; i < shape.count; ++i) Accumulate(sums + k, weights[i] * values[i]);
    values += shape.step;
  }
}

}  // namespace

// Long rows, as of im2col columns: eight products of a dot product at once.
void AddFourDots(const FourDots& shape, const int8_t* weights, const int16_t* values,
                 int32_t* sums) {
  for (int32_t rows = shape.rows; rows > 0; --rows) {
    int32x4_t parts[kFourDots] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    int32_t i = 0;
    for (; i + 8 <= shape.count; i += 8) {
      const int16x8_t weight = vmovl_s8(vld1_s8(weights + i));
      const int16_t* from = values + i;
#pragma GCC unroll 4
      for (int k = 0; k < kFourDots; ++k) {
        const int16x8_t value = vld1q_s16(from);
        parts[k] = vmlal_s16(parts[k], vget_low_s16(weight), vget_low_s16(value));
        parts[k] = vmlal_high_s16(parts[k], weight, value);
        from += shape.step;
      }
    }
    const int32x4_t whole =
        vpaddq_s32(vpaddq_s32(parts[0], parts[1]), vpaddq_s32(parts[2], parts[3]));
    vst1q_s32(sums, vaddq_s32(vld1q_s32(sums), whole));
    AddOne(shape, weights, values, i, sums);
    weights += shape.count;
    values += shape.row_step;
  }
}

// Short rows, as of a depthwise convolution: a product of each dot product at once.
void AddFourDots(const FourDots& shape, const int16_t* weights, const int16_t* values,
                 int32_t* sums) {
  if (shape.step != 1) {
    for (int32_t rows = shape.rows; rows > 0; --rows) {
      AddOne(shape, weights, values, 0, sums);
      weights += shape.count;
      values += shape.row_step;
    }
    return;
  }
  int32x4_t four = vld1q_s32(sums);
  for (int32_t rows = shape.rows; rows > 0; --rows) {
    for (int32_t i = 0; i < shape.count; ++i) {
      four = vmlal_n_s16(four, vld1_s16(values + i), weights[i]);
    }
    weights += shape.count;
    values += shape.row_step;
  }
  vst1q_s32(sums, four);
}

void Outputs::WriteChannel(int channel, const int32_t* sums, int count, int8_t* to,
                           int32_t step) const {
  const int factor = channel * stage_.channel_step;
  int i = 0;
  if (shifts_[factor] < 0) {
    const int32x4_t shift = vdupq_n_s32(shifts_[factor]);
    const int32x4_t offset = vdupq_n_s32(stage_.offset);
    const int32x4_t min = vdupq_n_s32(stage_.min);
    const int32x4_t max = vdupq_n_s32(stage_.max);
    for (; i + kFourDots <= count; i += kFourDots) {
      int32x4_t four = vqrdmulhq_n_s32(vld1q_s32(sums + i), multipliers_[factor]);
      // VRSHL rounds halves up, so negative values are decreased before.
      four = vrshlq_s32(vaddq_s32(four, vshrq_n_s32(four, 31)), shift);
      four = vminq_s32(vmaxq_s32(vaddq_s32(four, offset), min), max);
      to[0] = static_cast<int8_t>(vgetq_lane_s32(four, 0));
      to[step] = static_cast<int8_t>(vgetq_lane_s32(four, 1));
      to[2 * step] = static_cast<int8_t>(vgetq_lane_s32(four, 2));
      to[3 * step] = static_cast<int8_t>(vgetq_lane_s32(four, 3));
      to += 4 * step;
    }
  }
  for (; i < count; ++i, to += step) *to = At(channel, sums[i]);
}

}  // namespace kws
#endif  // KWS_HAVE_NEON
