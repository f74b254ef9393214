// SPDX-License-Identifier: Apache-2.0
// Fast requantization of element-wise ops: bit-identical to MultiplyByQuantizedMultiplier for small
// values.
#ifndef KWS_RUNTIME_KERNELS_SHARED_RESCALE_H_
#define KWS_RUNTIME_KERNELS_SHARED_RESCALE_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/loops/arithmetic.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {

// In the arena.
struct RescaleParams {
  int32_t multiplier;
  int16_t offset;  // the output's zero point
  int8_t shift;
  int8_t min;
  int8_t max;
};

// `slot`: the option of the fused activation.
Status MakeRescale(const PrepareContext& context, int slot, const QuantizedMultiplier& factor,
                   const Tensor& output, RescaleParams* params);

// Keeps the compiler from interleaving the steps of a block, which needs too many registers.
template <int kCount>
__attribute__((always_inline)) inline void FinishStep(int32_t* values) {
#pragma GCC unroll 4
  for (int i = 0; i < kCount; ++i) __asm__ volatile("" : "+r"(values[i]));
}

// Passed by value, so that members are not reloaded while outputs are written. Works on blocks step
// by step, so that a member is loaded at most once per block.
struct Rescale {
  int32_t multiplier;
  int left;
  int right;
  int32_t sign_mask;
  int32_t half;
  int32_t offset;

  explicit Rescale(const RescaleParams& params)
      : multiplier(params.multiplier),
        left(params.shift > 0 ? params.shift : 0),
        right(params.shift > 0 ? 0 : -params.shift),
        sign_mask(right == 0 ? 0 : -1),
        half(right == 0 ? 0 : static_cast<int32_t>(1u << (right - 1))),
        offset(params.offset) {}

  // The first step, exact for |x| < 2^30, for x from any op.
  __attribute__((always_inline)) int32_t Scale(int32_t x) const {
    // A value that is not small was shifted to the left, and is far outside int8 either way.
    return RoundingHighMulOfSmall(WrappingShiftLeft(x, left), multiplier);
  }

  // The other steps: the right shift, halves away from zero, and the output's zero point.
  // ClipBytes applies the activation.
  template <int kCount>
  __attribute__((always_inline)) void Write(int32_t* values, int8_t* output) const {
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) values[i] += ((values[i] >> 31) & sign_mask) + half;
    FinishStep<kCount>(values);
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) values[i] = SaturateToInt8((values[i] >> right) + offset);
    FinishStep<kCount>(values);
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) output[i] = static_cast<int8_t>(values[i]);
  }
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_RESCALE_H_
