// SPDX-License-Identifier: Apache-2.0
// The inner loops of arm/three_by_three.h.
#ifndef KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_LOOPS_H_
#define KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_LOOPS_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"

namespace kws {

// An output channel's filter and output stage, and the rows' geometry, in the order in which they
// are read.
struct ThreeByThree {
  int32_t start;
  // A row's weights a, b, c as pairs: ab, bc. A window of one row has the first alone.
  uint32_t weights[3][2];
  int32_t multiplier;
  int32_t bias;
  int32_t right;

  // The same for all channels.
  int32_t step;         // bytes from output to output
  int32_t minus_fours;  // passes over four outputs in a row, negative
  int32_t rest;      // -1: a pass over five behind them; else so many outputs back for one of four
  int32_t next_row;  // bytes from where the last pass left a row to the next row's first value
  int32_t next_output;  // bytes from behind a row's last output to the next row's first

  int32_t lane;  // int16 values from the buffer's first to the first that this channel sees
};

#if KWS_HAVE_DSP
// Rows in memory, as int16 values.
struct ThreeByThreeRows {
  const int16_t* buffer;
  int row_values;  // from row to row
  int values;      // from the first window to that behind the last
  int channels;    // of the output, side by side, at least one
};

// Packs the filters of four channels, of which `weights` is the first's first; `row_step` and
// `column_step` are the bytes from tap to tap.
void PackThreeByThree(const int8_t* weights, int row_step, int column_step, ThreeByThree* channels);
// Packs one channel's filter of so many rows.
void PackThreeTaps(const int8_t* weights, int rows, int row_step, int column_step,
                   ThreeByThree* channel);

// All outputs under these rows; `to` is the first channel's first. For stride 1 along the row, and
// for stride 2; for windows of three rows, and of one.
using ThreeByThreeLoop = void (*)(const ThreeByThree* channels, const ThreeByThreeRows& rows,
                                  int8_t* to);
void RunThreeByThreeRows(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to);
void RunThreeByThreeEveryOther(const ThreeByThree* channels, const ThreeByThreeRows& rows,
                               int8_t* to);
void RunThreeTapsRow(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to);
void RunThreeTapsEveryOther(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to);
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_THREE_BY_THREE_LOOPS_H_
