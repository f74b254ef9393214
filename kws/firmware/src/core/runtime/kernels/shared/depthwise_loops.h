// SPDX-License-Identifier: Apache-2.0
// The inner loops of a depthwise convolution: filling the buffer, and sums over it.
//
// A buffer row holds one input channel's values, less the zero point, as int16; padding is in it.
// Rows are moved in chunks of eight values.
#ifndef KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_LOOPS_H_
#define KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_LOOPS_H_

#include <cstdint>

#include "runtime/kernels/arm/dsp.h"

namespace kws {

constexpr int kChunk = 8;

// Copies chunks to a lower place; places may overlap.
void MoveChunks(const int16_t* from, int chunks, int16_t* to);

// Widens a row of one channel or of four neighbouring ones, `lane_size` values from channel to
// channel: to[i] = from[i * step] + offset.
using WidenRow = void (*)(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
                          int32_t lane_size);
void WidenOne(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
              int32_t lane_size);
constexpr int kFour = 4;
void WidenFour(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
               int32_t lane_size);

#if KWS_HAVE_DSP
// At least one row of at least one value.
struct FourRows {
  int rows;
  int row_step;  // bytes from row to row of the image
  int count;     // values of a row
  int step;      // bytes from value to value
  int lane_size;
};
// WidenFour of rows, each of which takes four lanes.
void WidenFourRows(const int8_t* from, const FourRows& rows, int32_t offset, int16_t* to);
#endif

// sum plus the products of `rows` rows of a buffer with a filter's pairs of taps, `pairs` a row.
int32_t SumOfPairs(const int16_t* buffer, int row_size, const int16_t* filter, int pairs, int rows,
                   int32_t sum);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_LOOPS_H_
