// SPDX-License-Identifier: Apache-2.0
// The work of a depthwise convolution: one input channel at a time, row by row, each input row
// widened to int16 with its padding.
//
// A band holds the rows that the window's taps lie on, so that an output row may overwrite input
// rows that the band has taken in, and needs no others: without dilation each is widened once.
#ifndef KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_ROWS_H_
#define KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_ROWS_H_

#include <cstdint>

#include "runtime/kernels/shared/output_stage.h"
#include "runtime/kernels/shared/window.h"

namespace kws {

struct DepthwiseRows {
  const Window& window;
  int32_t input_offset;
  const int8_t* input;
  const int8_t* filter;
  const int32_t* bias;  // or null
  const Outputs& outputs;
  int8_t* output;
  int16_t* scratch;  // DepthwiseRowsScratch(window) bytes
};

uint32_t DepthwiseRowsScratch(const Window& window);
PlanEntry::Overlap DepthwiseRowsOverlap(const Window& window);
void RunDepthwiseRows(const DepthwiseRows& work);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_ROWS_H_
