// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution for windows of any shape: some input channels at a time, row by row,
// through a line buffer (line_buffer.h).
#ifndef KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_ROWS_H_
#define KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_ROWS_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/depthwise_taps.h"
#include "kws/runtime/kernels/shared/image_sides.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/kernels/shared/window.h"
#include "kws/runtime/model/flatbuffer.h"

namespace kws {

// The operands, for one image.
struct DepthwiseRows {
  const Window& window;
  int32_t input_offset;
  const int8_t* input;
  const int8_t* filter;
  const int32_t* bias;  // or null
  const Outputs& outputs;
  int8_t* output;
  int16_t* scratch;  // DepthwiseRowsScratch(sides) bytes

  int32_t Bias(int channel) const { return bias == nullptr ? 0 : LoadAs<int32_t>(bias + channel); }
};

// Windows for RunRowTaps (loops/depthwise_taps.h), except windows that RunFourChannels computes
// faster.
inline bool IsRowTaps(const Sides& sides) {
  const Side& columns = sides.columns;
  if (columns.dilation != 1 || columns.out < kRowOutputs) return false;
  const bool four = sides.multiplier == 1 && sides.channels % kFour == 0;
  if (columns.stride == 1) return columns.taps != 2 || !four;
  return columns.stride == 2 && columns.taps > 2 && !four;
}

// Windows that loops/cortex_m4/eight_taps.h computes.
inline bool IsEightTaps(const Sides& sides) {
  return sides.multiplier >= kEightTapsFilters && sides.columns.taps == 8 &&
         sides.columns.stride == 2 && sides.columns.dilation == 1 && sides.columns.out >= 2 &&
         sides.rows.dilation == 1;
}

// Also for loops/cortex_m4/eight_taps.h and loops/cortex_m4/three_by_three.h.
uint32_t DepthwiseRowsScratch(const Sides& sides);
PlanEntry::Overlap DepthwiseRowsOverlap(const Window& window);

void RunDepthwiseRows(const DepthwiseRows& work, const Sides& sides);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_ROWS_H_
