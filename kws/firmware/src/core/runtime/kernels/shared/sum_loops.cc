// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/sum_loops.h"

namespace kws {
namespace {

struct Sum {
  const int8_t* exact;
  const int8_t* other;
  int32_t exact_step;
  int32_t other_step;
  int32_t other_gain;  // 2^left
  int32_t other_bias;  // minus the zero point, likewise
  int32_t multiplier;
  int32_t half;
  int32_t right;
  int32_t exact_factor;  // twice the sum, so that its upper word is what TFLM rounds to
  int32_t other_factor;
  int32_t exact_bias;
  Rescale rescale;

  template <int kCount>
  __attribute__((always_inline)) void Block(int8_t* output) {
    int32_t values[kCount];
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      values[i] = RoundingHighWord(*other * other_gain + other_bias, multiplier);
      other += other_step;
    }
    FinishStep<kCount>(values);
    // Halves away from zero.
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) values[i] += (values[i] >> 31) + half;
    FinishStep<kCount>(values);
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      values[i] = (values[i] >> right) * other_factor + (*exact * exact_factor + exact_bias);
      exact += exact_step;
    }
    FinishStep<kCount>(values);
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) values[i] = RoundingHighWord(values[i], rescale.multiplier);
    FinishStep<kCount>(values);
    rescale.Write<kCount>(values, output);
  }
};

}  // namespace

void RunSum(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const SumParams& params = context.Params<SumParams>();
  const int exact = params.exact;
  const int32_t exact_factor = params.exact_sign * (1 << kSumBits);
  Sum sum{
      exact == 0 ? a : b,
      exact == 0 ? b : a,
      params.broadcast.steps[exact],
      params.broadcast.steps[1 - exact],
      1 << params.left,
      -params.other_zero * (1 << params.left),
      params.multiplier,
      static_cast<int32_t>(1u << (params.right - 1)),
      params.right,
      exact_factor,
      params.other_sign * 2,
      -params.exact_zero * exact_factor,
      Rescale(params.output),
  };
  // Not as shifts: a multiplication adds in the same cycle.
  __asm__("" : "+r"(sum.other_gain), "+r"(sum.other_factor));
  int32_t left = params.broadcast.run;
  for (; left >= 4; left -= 4) {
    sum.Block<4>(output);
    output += 4;
  }
  for (; left > 0; --left) sum.Block<1>(output++);
}

}  // namespace kws
