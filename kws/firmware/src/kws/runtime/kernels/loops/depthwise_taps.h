// SPDX-License-Identifier: Apache-2.0
// One output row of a depthwise convolution, for common windows. Only the Cortex-M4 has these
// loops: they require kHaveDsp. The line buffer's format is described in loops/lines.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_DEPTHWISE_TAPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_DEPTHWISE_TAPS_H_

#include <cstdint>

#include "kws/runtime/kernels/shared/output_stage.h"

namespace kws {

// int16 values of a row's weights in EightTaps: for each pair of taps the four filters' pairs;
// then, as int32, the bytes from the end of the taps in a buffer row to the next buffer row.
constexpr int kEightTapsFilters = 4;
constexpr int kEightTapsRow = 8 * kEightTapsFilters + 2;

// Outputs of RunRowTaps at a time.
constexpr int kRowOutputs = 6;
// Pairs of taps per row: for an even number of taps, odd outputs need one more pair.
constexpr int RowPairs(int taps) { return taps / 2 + 1; }
// int16 values of a buffer row for kRowOutputs outputs.
constexpr int RowValues(int pairs) { return 2 * pairs + kRowOutputs - 2; }

// Any number of taps per row, without dilation. With stride 2, even and odd columns are separate
// rows, and so are their taps: in both, outputs are one value apart.
struct RowTaps {
  RowTaps() = default;
  // `outputs` >= kRowOutputs. `size`: int16 values of a buffer row.
  RowTaps(int outputs, int out_step, int pairs_a_row, int size)
      : pairs(pairs_a_row),
        row_size(size),
        next_row((size - RowValues(pairs)) * static_cast<int32_t>(sizeof(int16_t))),
        turns((pairs + 2) / 3 * 4 - 4 + pairs % 3),
        sixes(outputs / kRowOutputs),
        back(outputs % kRowOutputs == 0 ? 0 : kRowOutputs - outputs % kRowOutputs),
        step(out_step) {}

  int pairs;  // of taps per row, for each of two neighbouring outputs
  int row_size;
  int32_t next_row;  // bytes from the end of the values used in a row to the next row
  int32_t
      turns;  // (rounds of three pairs - 1) * 4, plus the pairs of the first round if below three
  int sixes;  // number of outputs / 6
  int back;   // outputs of the last six that were computed before
  int32_t step;  // bytes between outputs
  // Of a filter:
  int32_t start;
  Outputs::Factor factor;
};

// Packs a row's weights a, b, c, `step` bytes apart, as pairs for two neighbouring outputs: ab, 0a,
// c0, bc. Writes 4 * `pairs` values; `pairs` >= RowPairs(taps).
void PackRowTaps(const int8_t* weights, int step, int taps, int pairs, int16_t* packed);
// The same for four neighbouring filters, `filter_size` values apart.
void PackFourRowTaps(const int8_t* weights, int step, int taps, int pairs, int filter_size,
                     int16_t* packed);

// All outputs of a row, six at a time; the last six may include outputs that were computed before.
// `buffer` and `filter`: the window's first of `rows` (>= 1) rows.
void RunRowTaps(const RowTaps& work, const int16_t* buffer, const int16_t* filter, int rows,
                int8_t* to);

// Eight taps per row, stride 2 along the row, four filters at once. Fields are in the order of
// access.
struct EightTaps {
  static constexpr int32_t ToNextRow(int row_size) {
    return (row_size - 8 - 2) * static_cast<int32_t>(sizeof(int16_t));
  }

  const int16_t* buffer;  // the window's first row, at the first output
  int16_t* filter;        // this row's weights
  int32_t start[kEightTapsFilters];
  Outputs::Factor factors[kEightTapsFilters];
  int rows;      // of the window, >= 1
  int32_t step;  // bytes between outputs
};

// Packs the weights of `rows` rows; taps are `step` bytes apart. `row_size`: values of a buffer
// row.
void PackEightTaps(const int8_t* weights, int step, int rows, int row_size, int16_t* packed);

// `pairs` times two outputs of each filter; an output's channels are consecutive. Advances
// work.buffer to the next output.
void RunEightTaps(EightTaps& work, int pairs, int8_t* to);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_DEPTHWISE_TAPS_H_
