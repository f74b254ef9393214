// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/output_stage.h"

#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {

int8_t Outputs::At(int channel, int32_t sum) const {
  const int i = channel * stage_.channel_step;
  const int32_t scaled = MultiplyByQuantizedMultiplier(sum, multipliers_[i], shifts_[i]);
  return static_cast<int8_t>(Clamp(WrappingAdd(scaled, stage_.offset), stage_.min, stage_.max));
}

}  // namespace kws
