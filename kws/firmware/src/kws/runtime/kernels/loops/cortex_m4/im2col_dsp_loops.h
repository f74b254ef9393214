// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions: two filters by three im2col columns.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_IM2COL_DSP_LOOPS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_IM2COL_DSP_LOOPS_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/shared/output_stage.h"

#if KWS_HAVE_DSP
namespace kws {

constexpr int kFilters = 2;
constexpr int kTile = kIm2colTile;

// A pair of filters and its outputs.
struct Pair {
  // Written by WidenFilters, at least four taps; or the first filter.
  const void* weights;
  const void* end;
  int32_t biases[kFilters];
  Outputs::Factor factors[kFilters];
  int8_t*
      to;  // the first filter's output of the first column; the second filter's is the next byte
  int32_t step;  // bytes between columns
};
static_assert(offsetof(Pair, biases) == 8 && offsetof(Pair, factors) == 16 &&
                  offsetof(Pair, step) == 44,
              "the loops have these numbers");

// Two filters as int16.
void WidenFilters(const int8_t* first, const int8_t* second, int32_t taps, uint32_t* to);

// Outputs of a pair for `tiles` (>= 1) times three columns, with fast requantization. `Wide` takes
// widened filters; `Narrow` takes two consecutive filters of `taps` taps, a multiple of four.
void MultiplyWide(const Pair& pair, const uint32_t* columns, int tiles);
void MultiplyNarrow(const Pair& pair, int32_t taps, const uint32_t* columns, int tiles);

// `sum` plus the product of a filter and a column.
int32_t DotIm2colColumn(const int8_t* weights, int32_t taps, const uint32_t* column, int32_t sum);

// A column's first word. Four taps take two words of each column of the tile, interleaved.
uint32_t* Im2colColumn(int16_t* columns, int32_t taps, int column);

}  // namespace kws
#endif  // KWS_HAVE_DSP

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_IM2COL_DSP_LOOPS_H_
