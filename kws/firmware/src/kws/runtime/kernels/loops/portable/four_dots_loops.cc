// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/four_dots.h"
#include "kws/runtime/kernels/loops/processor.h"

#if !KWS_HAVE_DSP && !KWS_HAVE_M0 && !KWS_HAVE_NEON
namespace kws {
namespace {

template <typename Weight>
void Add(const FourDots& shape, const Weight* weights, const int16_t* values, int32_t* sums) {
  const int32_t count = shape.count;
  uint32_t sum0 = static_cast<uint32_t>(sums[0]);
  uint32_t sum1 = static_cast<uint32_t>(sums[1]);
  uint32_t sum2 = static_cast<uint32_t>(sums[2]);
  uint32_t sum3 = static_cast<uint32_t>(sums[3]);
  for (int32_t rows = shape.rows; rows > 0; --rows) {
    const int16_t* values0 = values;
    const int16_t* values1 = values0 + shape.step;
    const int16_t* values2 = values1 + shape.step;
    const int16_t* values3 = values2 + shape.step;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t weight = weights[i];
      sum0 += static_cast<uint32_t>(weight * values0[i]);
      sum1 += static_cast<uint32_t>(weight * values1[i]);
      sum2 += static_cast<uint32_t>(weight * values2[i]);
      sum3 += static_cast<uint32_t>(weight * values3[i]);
    }
    weights += count;
    values += shape.row_step;
  }
  sums[0] = static_cast<int32_t>(sum0);
  sums[1] = static_cast<int32_t>(sum1);
  sums[2] = static_cast<int32_t>(sum2);
  sums[3] = static_cast<int32_t>(sum3);
}

}  // namespace

void AddFourDots(const FourDots& shape, const int8_t* weights, const int16_t* values,
                 int32_t* sums) {
  Add(shape, weights, values, sums);
}

void AddFourDots(const FourDots& shape, const int16_t* weights, const int16_t* values,
                 int32_t* sums) {
  Add(shape, weights, values, sums);
}

}  // namespace kws
#endif  // !KWS_HAVE_DSP && !KWS_HAVE_M0 && !KWS_HAVE_NEON
