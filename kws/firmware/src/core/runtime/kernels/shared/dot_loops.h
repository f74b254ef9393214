// SPDX-License-Identifier: Apache-2.0
// The inner loops of everything that multiplies int8 by int8: one definition in portable C++, one
// for the Cortex-M4's DSP instructions (two products an instruction), same bits.
//
// Sums are 32 bits and wrap around. `offset` is minus the input's zero point, -127 to 128.
#ifndef KWS_RUNTIME_KERNELS_SHARED_DOT_LOOPS_H_
#define KWS_RUNTIME_KERNELS_SHARED_DOT_LOOPS_H_

#include <cstdint>

#include "runtime/kernels/shared/output_stage.h"

namespace kws {

// Sum over i of (input[i] + offset) * filter[i].
int32_t Dot(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset);

// The same for kDotRows filters that follow each other.
constexpr int kDotRows = 4;
void DotRows(const int8_t* input, const int8_t* filter, int32_t count, int32_t offset,
             int32_t* sums);

// Convolutions work on several output pixels at a time. What a pixel's window covers is a column:
// its taps, less the zero point, as int16.
constexpr int kIm2colTile = 3;
constexpr int kMaxIm2colColumns = 27;

// Whether pairs of filters are widened before they are multiplied: columns share the work, so that
// it pays where there is room for many. Of taps that are no multiple of four always.
constexpr bool WidensFilters(uint32_t taps) { return taps <= 64 || taps % 4 != 0; }

// Columns at a time: as many as take, with two widened filters, about 3 kB.
constexpr int Im2colColumns(uint32_t taps) {
  constexpr uint32_t kValues = 1856;
  if (!WidensFilters(taps)) return 2 * kIm2colTile;
  const int columns =
      (static_cast<int>(kValues / ((taps + 3) / 4 * 4)) - 2) / kIm2colTile * kIm2colTile;
  return columns < kIm2colTile         ? kIm2colTile
         : columns > kMaxIm2colColumns ? kMaxIm2colColumns
                                       : columns;
}

// int16 values that the columns take, and before them the widened filters.
constexpr uint32_t Im2colSize(uint32_t taps) {
  const int filters = WidensFilters(taps) ? 2 : 0;
  return (taps + 3) / 4 * 4 * static_cast<uint32_t>(Im2colColumns(taps) + filters);
}

// Writes column `column`; `count` are all of its taps.
void WriteIm2colColumn(const int8_t* taps, int32_t count, int32_t offset, int column,
                       int16_t* columns);

// Filters and where their outputs go.
struct Filters {
  const int8_t* weights;
  const int32_t* bias;  // or null
  Outputs outputs;
  int32_t taps;
  int count;
};

// Multiplies every filter with the first `count` columns. A column's outputs follow each other; the
// next column's lie `step` bytes further.
void MultiplyIm2col(const Filters& filters, int16_t* columns, int count, int8_t* to, int32_t step);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_DOT_LOOPS_H_
