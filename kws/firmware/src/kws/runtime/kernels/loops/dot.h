// SPDX-License-Identifier: Apache-2.0
// The inner loops of int8 matrix products. With the Cortex-M4's DSP instructions they compute two
// products per instruction.
//
// Sums are 32 bits and wrap around. `offset`: minus the input's zero point, -127 to 128.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_DOT_H_
#define KWS_RUNTIME_KERNELS_LOOPS_DOT_H_

#include <cstdint>

#include "kws/runtime/kernels/shared/filters.h"

namespace kws {

// Sum over i of (input[i] + offset) * filter[i].
int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset);

// Dot for kDotRows consecutive filters.
void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums);

// Convolutions use im2col on several output pixels at a time. A column of the im2col matrix holds
// the taps of a pixel's window minus the zero point, as int16.
constexpr int kIm2colTile = 3;
constexpr int kMaxIm2colColumns = 27;

// Whether pairs of filters are widened before the product. Worthwhile if there is room for many
// columns to share the widened pairs. Required if the number of taps is not a multiple of four.
constexpr bool WidensFilters(uint32_t taps) { return taps <= 64 || taps % 4 != 0; }

// Columns at a time: with two widened filters, they take about 3 kB.
inline int Im2colColumns(uint32_t taps) {
  constexpr uint32_t kValues = 1856;
  if (!WidensFilters(taps)) return 2 * kIm2colTile;
  const int columns =
      (static_cast<int>(kValues / ((taps + 3) / 4 * 4)) - 2) / kIm2colTile * kIm2colTile;
  return columns < kIm2colTile         ? kIm2colTile
         : columns > kMaxIm2colColumns ? kMaxIm2colColumns
                                       : columns;
}

// int16 values of the im2col buffer: two widened filters, then the columns.
inline uint32_t Im2colSize(uint32_t taps) {
  const int filters = WidensFilters(taps) ? 2 : 0;
  return (taps + 3) / 4 * 4 * static_cast<uint32_t>(Im2colColumns(taps) + filters);
}

// Writes column `column` of `count` taps.
void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                       int16_t* columns);

// Multiplies all filters with the first `count` columns. A column's outputs are consecutive;
// columns are `step` bytes apart.
void MultiplyIm2col(const Filters& filters, int16_t* columns, int count, int8_t* to, int32_t step);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_DOT_H_
