// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/clip.h"
#include "kws/runtime/kernels/loops/product.h"

namespace kws {
namespace {

struct Product {
  const int8_t* a;
  const int8_t* b;
  int32_t step_a;
  int32_t step_b;
  int32_t zero_a;
  int32_t zero_b;
  Rescale rescale;

  template <int kCount>
  __attribute__((always_inline)) void Block(int8_t* output) {
    int32_t values[kCount];
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      values[i] = (*a - zero_a) * (*b - zero_b);
      a += step_a;
      b += step_b;
    }
    FinishStep<kCount>(values);
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) values[i] = rescale.Scale(values[i]);
    FinishStep<kCount>(values);
    rescale.Write<kCount>(values, output);
  }
};

}  // namespace

void RunProduct(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const ProductParams& params = context.Params<ProductParams>();
  Product product{
      a,
      b,
      params.broadcast.steps[0],
      params.broadcast.steps[1],
      params.zero_points[0],
      params.zero_points[1],
      Rescale(params.output),
  };
  int8_t* to = output;
  int32_t left = params.broadcast.run;
  for (; left >= 4; left -= 4) {
    product.Block<4>(to);
    to += 4;
  }
  for (; left > 0; --left) product.Block<1>(to++);
  ClipBytes(params.output.min, params.output.max, output, params.broadcast.run);
}

}  // namespace kws
