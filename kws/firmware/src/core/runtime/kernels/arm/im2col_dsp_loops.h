// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions: two filters by three columns.
#ifndef KWS_RUNTIME_KERNELS_ARM_IM2COL_DSP_LOOPS_H_
#define KWS_RUNTIME_KERNELS_ARM_IM2COL_DSP_LOOPS_H_

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/arm/dsp.h"
#include "runtime/kernels/shared/dot_loops.h"
#include "runtime/kernels/shared/output_stage.h"

#if KWS_HAVE_DSP
namespace kws {

constexpr int kFilters = 2;
constexpr int kTile = kIm2colTile;

// A pair of filters, and where its outputs go.
struct Pair {
  // WidenFilters', at least four taps, or the first filter itself.
  const void* weights;
  const void* end;
  int32_t biases[kFilters];
  Outputs::Factor factors[kFilters];
  int8_t* to;    // the first filter's output at the first column; the second's is the next byte
  int32_t step;  // bytes from column to column
};
static_assert(offsetof(Pair, biases) == 8 && offsetof(Pair, factors) == 16 &&
                  offsetof(Pair, step) == 44,
              "the loops have these numbers");

// Two filters as int16.
void WidenFilters(const int8_t* first, const int8_t* second, int32_t taps, uint32_t* to);

// The usual outputs of a pair at `tiles` times three columns, at least one. `Wide` takes widened
// filters; `Narrow` takes filters of `taps` taps, a multiple of four, the second behind the first.
void MultiplyWide(const Pair& pair, const uint32_t* columns, int tiles);
void MultiplyNarrow(const Pair& pair, int32_t taps, const uint32_t* columns, int tiles);

// A filter's sum at one column.
int32_t DotIm2colColumn(const int8_t* weights, int32_t taps, const uint32_t* column, int32_t sum);

// The words of a column: four taps take two of each of its tile's columns.
uint32_t* Im2colColumn(int16_t* columns, int32_t taps, int column);

}  // namespace kws
#endif  // KWS_HAVE_DSP

#endif  // KWS_RUNTIME_KERNELS_ARM_IM2COL_DSP_LOOPS_H_
