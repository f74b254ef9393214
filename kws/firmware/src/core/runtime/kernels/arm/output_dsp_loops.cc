// SPDX-License-Identifier: Apache-2.0
// The part of Outputs that takes most of the time where an op has few sums for each channel.
#include "runtime/kernels/shared/fixed_point.h"
#include "runtime/kernels/shared/output_stage.h"
#include "runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

void Outputs::WriteUsual(int first, int count, const int32_t* sums, const int32_t* biases,
                         int8_t* to) const {
  const int step = stage_.channel_step;
  const int32_t twice = 2 * stage_.offset + 1;
  const int32_t* multiplier = multipliers_ + first * step;
  const int8_t* shift = shifts_ + first * step;
  for (; count > 0; --count) {
    int32_t sum = *sums++;
    if (biases != nullptr) sum = WrappingAdd(sum, LoadAs<int32_t>(biases++));
    const int right = -*shift;
    __asm__(KWS_SCALE("%0", "%1", "%2", "%3")
            : "+r"(sum)
            : "r"(*multiplier), "r"(twice * (1 << (right - 1))), "r"(right));
    *to++ = static_cast<int8_t>(sum);
    multiplier += step;
    shift += step;
  }
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
