// SPDX-License-Identifier: Apache-2.0
// One output row of a depthwise convolution's usual windows, for the Cortex-M4 alone. The band is
// that of shared/depthwise_loops.h.
#ifndef KWS_RUNTIME_KERNELS_ARM_DEPTHWISE_DSP_LOOPS_H_
#define KWS_RUNTIME_KERNELS_ARM_DEPTHWISE_DSP_LOOPS_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"
#include "runtime/kernels/shared/output_stage.h"

namespace kws {

// int16 values of a row's weights in EightTaps: for each pair of taps the four filters' pairs;
// then, as int32, the bytes from the band's row behind its taps to the next.
constexpr int kEightTapsFilters = 4;
constexpr int kEightTapsRow = 8 * kEightTapsFilters + 2;

#if KWS_HAVE_DSP

// An odd number of taps a row, stride 1 along the row.
struct OddTaps {
  const int16_t* band;  // the window's first row at the first output
  // That row's weights a, b, c as pairs for two neighbouring outputs: ab, 0a, c0, bc.
  const int16_t* filter;
  int pairs;         // of taps a row, for each of the two outputs
  int32_t next_row;  // bytes from behind a row's values to the next row's first
  int rows;          // of the window, at least 1
  int32_t start;
  Outputs::Factor factor;
  int32_t step;  // bytes from output to output
};

// Lays out a row's weights, `step` bytes apart.
void PackOddTaps(const int8_t* weights, int step, int pairs, int16_t* packed);

// `count` outputs, at least four: four at a time, the last ones once more with their neighbours
// where they are no four. Moves work.band.
void RunOddTaps(OddTaps& work, int count, int8_t* to);

// Eight taps a row, stride 2 along the row, four filters at once. The order of the fields is the
// order in which they are read.
struct EightTaps {
  static constexpr int32_t ToNextRow(int row_size) {
    return (row_size - 8 - 2) * static_cast<int32_t>(sizeof(int16_t));
  }

  const int16_t* band;  // the window's first row at the first output
  int16_t* filter;      // that row's weights
  int32_t start[kEightTapsFilters];
  Outputs::Factor factors[kEightTapsFilters];
  int rows;      // of the window, at least 1
  int32_t step;  // bytes from output to output
};

// Lays out the weights of `rows` rows, each tap's weights `step` bytes behind the last's.
// `row_size` is the band's, in values.
void PackEightTaps(const int8_t* weights, int step, int rows, int row_size, int16_t* packed);

// `pairs` times two outputs of each filter; those of one output follow each other. Afterwards
// work.band is at the next output.
void RunEightTaps(EightTaps& work, int pairs, int8_t* to);

#endif  // KWS_HAVE_DSP

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_DEPTHWISE_DSP_LOOPS_H_
