// SPDX-License-Identifier: Apache-2.0
// The inner loops of a depthwise convolution: filling the line buffer, and sums over it.
//
// A buffer row holds one input channel's values minus the zero point, as int16, with padding. Rows
// are moved in chunks of eight values.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_LINES_H_
#define KWS_RUNTIME_KERNELS_LOOPS_LINES_H_

#include <cstdint>

namespace kws {

constexpr int kChunk = 8;

// Copies chunks to a lower address; the ranges may overlap.
void MoveChunks(const int16_t* from, int chunks, int16_t* to);

// Widens a row of one channel or of four neighbouring channels, `lane_size` values apart:
// to[i] = from[i * step] + offset.
using WidenRow = void (*)(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
                          int32_t lane_size);
void WidenOne(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
              int32_t lane_size);
constexpr int kFour = 4;
void WidenFour(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
               int32_t lane_size);

struct FourRows {
  int rows;      // >= 1
  int row_step;  // bytes between rows of the image
  int count;     // values per row, >= 1
  int step;      // bytes between values
  int lane_size;
};
// WidenFour for several rows. Requires kHaveDsp.
void WidenFourRows(const int8_t* from, const FourRows& rows, int32_t offset, int16_t* to);

// `sum` plus the products of `rows` buffer rows with a filter's taps, `pairs` pairs per row.
int32_t SumOfPairs(const int16_t* buffer, int row_size, const int16_t* filter, int pairs, int rows,
                   int32_t sum);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_LINES_H_
