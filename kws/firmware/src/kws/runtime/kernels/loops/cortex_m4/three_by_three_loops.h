// SPDX-License-Identifier: Apache-2.0
// The inner loops of loops/cortex_m4/three_by_three.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_THREE_BY_THREE_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_THREE_BY_THREE_LOOPS_H_

#include <cstdint>

namespace kws {

// An output channel's filter and output stage, and the rows' geometry, in the order of access.
struct ThreeByThree {
  int32_t start;
  // A row's weights a, b, c as pairs: ab, bc. A window of one row uses only the first.
  uint32_t weights[3][2];
  int32_t multiplier;
  int32_t bias;
  int32_t right;

  // The same for all channels.
  int32_t step;         // bytes between outputs
  int32_t minus_fours;  // minus the number of passes over four outputs per row
  int32_t rest;      // -1: then a pass over five; n > 0: then n outputs back and a pass over four
  int32_t next_row;  // bytes from the row's position after the last pass to the next row
  int32_t next_output;  // bytes from the end of a row's outputs to the next row

  int32_t lane;  // index of this channel's first int16 value in the buffer
};

// The line buffer.
struct ThreeByThreeRows {
  const int16_t* buffer;
  int row_values;  // int16 values per row
  int values;      // int16 values from the first window's row to the end of the last window's row
  int channels;    // consecutive output channels, >= 1
};

// Packs the filters of four consecutive channels. `row_step`, `column_step`: bytes between taps.
void PackThreeByThree(const int8_t* weights, int row_step, int column_step, ThreeByThree* channels);
// Packs one channel's filter of `rows` rows.
void PackThreeTaps(const int8_t* weights, int rows, int row_step, int column_step,
                   ThreeByThree* channel);

// All outputs of these rows. `to`: the first channel's first output. Rows: stride 1; EveryOther:
// stride 2; ThreeByThree: windows of three rows; ThreeTaps: windows of one row.
using ThreeByThreeLoop = void (*)(const ThreeByThree* channels, const ThreeByThreeRows& rows,
                                  int8_t* to);
void RunThreeByThreeRows(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to);
void RunThreeByThreeEveryOther(const ThreeByThree* channels, const ThreeByThreeRows& rows,
                               int8_t* to);
void RunThreeTapsRow(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to);
void RunThreeTapsEveryOther(const ThreeByThree* channels, const ThreeByThreeRows& rows, int8_t* to);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_THREE_BY_THREE_LOOPS_H_
