// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/m0/m0.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/output_stage.h"

#if !KWS_HAVE_NEON
namespace kws {

void Outputs::WriteChannel(int channel, const int32_t* sums, int count, int8_t* to,
                           int32_t step) const {
  const int factor = channel * stage_.channel_step;
  const int shift = shifts_[factor];
  if (shift >= 0) {
    for (; count > 0; --count, to += step) *to = At(channel, *sums++);
    return;
  }
  const int32_t multiplier = multipliers_[factor];
  const int halving = -shift - 1;
#if KWS_HAVE_M0
  const m0::Requantization by{multiplier & 0xffff, multiplier >> 16, halving, stage_.max,
                              stage_.offset,       stage_.min,       step};
  m0::Requantize(by, sums, sums + count, to);
#else
  const int32_t offset = stage_.offset;
  const int32_t min = stage_.min;
  const int32_t max = stage_.max;
  for (; count > 0; --count) {
    // As RoundingDivideByPowerOfTwo, for a shift that is not 0.
    const int32_t product = RoundingHighMul(*sums++, multiplier);
    const int32_t scaled = (((product + (product >> 31)) >> halving) + 1) >> 1;
    *to = static_cast<int8_t>(Clamp(scaled + offset, min, max));
    to += step;
  }
#endif
}

}  // namespace kws
#endif  // !KWS_HAVE_NEON
