// SPDX-License-Identifier: Apache-2.0
// Four dot products with the same weights, each of which is loaded once. A portable definition, one
// for the Cortex-M0 and one for AArch64.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_FOUR_DOTS_H_
#define KWS_RUNTIME_KERNELS_LOOPS_FOUR_DOTS_H_

#include <cstdint>

namespace kws {

constexpr int kFourDots = 4;

// The Cortex-M0's assembly reads these members.
struct FourDots {
  int32_t step;      // values from one dot product's to the next one's
  int32_t count;     // weights per row, >= 1
  int32_t rows;      // >= 1; their weights are consecutive
  int32_t row_step;  // values from row to row
};

// Adds the dot products to `sums`; they wrap around. |value| <= 255.
void AddFourDots(const FourDots& shape, const int8_t* weights, const int16_t* values,
                 int32_t* sums);
void AddFourDots(const FourDots& shape, const int16_t* weights, const int16_t* values,
                 int32_t* sums);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_FOUR_DOTS_H_
