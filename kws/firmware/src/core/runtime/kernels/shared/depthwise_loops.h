// SPDX-License-Identifier: Apache-2.0
// The inner loops of a depthwise convolution: filling the band, and sums over it.
//
// A band row holds one input channel's values, less the zero point, as int16; padding is in it.
// Rows are moved in chunks of eight values.
#ifndef KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_LOOPS_H_
#define KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_LOOPS_H_

#include <cstdint>

namespace kws {

constexpr int kChunk = 8;

// Copies chunks to a lower place; places may overlap.
void MoveChunks(const int16_t* from, int chunks, int16_t* to);

// to[i] = from[i * step] + offset.
void Widen(const int8_t* from, int step, int count, int32_t offset, int16_t* to);

// sum plus the products of `rows` rows of a band with a filter's pairs of taps, `pairs` a row.
int32_t SumOfPairs(const int16_t* band, int row_size, const int16_t* filter, int pairs, int rows,
                   int32_t sum);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_DEPTHWISE_LOOPS_H_
