// SPDX-License-Identifier: Apache-2.0
// One output row of a depthwise convolution's usual windows, for the Cortex-M4 alone. The buffer is
// that of shared/depthwise_loops.h.
#ifndef KWS_RUNTIME_KERNELS_ARM_DEPTHWISE_DSP_LOOPS_H_
#define KWS_RUNTIME_KERNELS_ARM_DEPTHWISE_DSP_LOOPS_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"
#include "runtime/kernels/shared/output_stage.h"

namespace kws {

// int16 values of a row's weights in EightTaps: for each pair of taps the four filters' pairs;
// then, as int32, the bytes from the buffer's row behind its taps to the next.
constexpr int kEightTapsFilters = 4;
constexpr int kEightTapsRow = 8 * kEightTapsFilters + 2;

// Outputs of RunRowTaps at a time.
constexpr int kRowOutputs = 6;
// Pairs of taps a row: an odd output takes the last of an even number of taps in one more.
constexpr int RowPairs(int taps) { return taps / 2 + 1; }
// int16 values of a buffer's row that kRowOutputs take.
constexpr int RowValues(int pairs) { return 2 * pairs + kRowOutputs - 2; }

#if KWS_HAVE_DSP

// Any number of taps a row, each beside the last. With stride 2 the values of even and of odd
// columns are rows of their own, and so are the taps: both go one value from output to output.
struct RowTaps {
  // `outputs` at least kRowOutputs; `size`: int16 values from row to row of the buffer.
  RowTaps(int outputs, int out_step, int pairs_a_row, int size)
      : pairs(pairs_a_row),
        row_size(size),
        next_row((size - RowValues(pairs)) * static_cast<int32_t>(sizeof(int16_t))),
        turns((pairs + 2) / 3 * 4 - 4 + pairs % 3),
        sixes(outputs / kRowOutputs),
        back(outputs % kRowOutputs == 0 ? 0 : kRowOutputs - outputs % kRowOutputs),
        step(out_step) {}

  int pairs;  // of taps a row, for each of two neighbouring outputs
  int row_size;
  int32_t next_row;  // bytes from behind a row's taken values to the next row's first
  int32_t turns;  // of three pairs, less one, times four; and how many the first has, if not three
  int sixes;      // outputs by six
  int back;       // outputs that the last six have in common with those before, if not all are new
  int32_t step;   // bytes from output to output
  // Of a filter:
  int32_t start = 0;
  Outputs::Factor factor = {};
};

// Lays out a row's weights a, b, c, `step` bytes apart, as pairs for two neighbouring outputs: ab,
// 0a, c0, bc. 4 * `pairs` values, `pairs` at least RowPairs(taps).
void PackRowTaps(const int8_t* weights, int step, int taps, int pairs, int16_t* packed);
// The same of four neighbouring filters, from each to the next `filter_size` values.
void PackFourRowTaps(const int8_t* weights, int step, int taps, int pairs, int filter_size,
                     int16_t* packed);

// All outputs of a row: six at a time, the last ones once more with their neighbours where they are
// fewer. `buffer` and `filter` are those of the window's first row, of `rows`, at least 1.
void RunRowTaps(const RowTaps& work, const int16_t* buffer, const int16_t* filter, int rows,
                int8_t* to);

// Eight taps a row, stride 2 along the row, four filters at once. The order of the fields is the
// order in which they are read.
struct EightTaps {
  static constexpr int32_t ToNextRow(int row_size) {
    return (row_size - 8 - 2) * static_cast<int32_t>(sizeof(int16_t));
  }

  const int16_t* buffer;  // the window's first row at the first output
  int16_t* filter;        // that row's weights
  int32_t start[kEightTapsFilters];
  Outputs::Factor factors[kEightTapsFilters];
  int rows;      // of the window, at least 1
  int32_t step;  // bytes from output to output
};

// Lays out the weights of `rows` rows, each tap's weights `step` bytes behind the last's.
// `row_size` is the buffer's, in values.
void PackEightTaps(const int8_t* weights, int step, int rows, int row_size, int16_t* packed);

// `pairs` times two outputs of each filter; those of one output follow each other. Afterwards
// work.buffer is at the next output.
void RunEightTaps(EightTaps& work, int pairs, int8_t* to);

#endif  // KWS_HAVE_DSP

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_ARM_DEPTHWISE_DSP_LOOPS_H_
