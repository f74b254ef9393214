// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/output_stage.h"

#include <cstring>

#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/model/flatbuffer.h"

namespace kws {

int8_t Outputs::At(int channel, int32_t sum) const {
  const int i = channel * stage_.channel_step;
  const int32_t scaled = MultiplyByQuantizedMultiplier(sum, multipliers_[i], shifts_[i]);
  return static_cast<int8_t>(Clamp(WrappingAdd(scaled, stage_.offset), stage_.min, stage_.max));
}

void ClipBytes(int8_t min, int8_t max, int8_t* values, int32_t count) {
  if (min == INT8_MIN && max == INT8_MAX) return;
#if KWS_HAVE_DSP
  const uint32_t four_min = dsp::FourTimes(min);
  const uint32_t four_max = dsp::FourTimes(max);
  for (; count >= 4; count -= 4) {
    const uint32_t four = LoadAs<uint32_t>(values);
    const uint32_t clipped = dsp::LargerBytes(dsp::SmallerBytes(four, four_max), four_min);
    std::memcpy(values, &clipped, sizeof(clipped));
    values += 4;
  }
#endif
  for (; count > 0; --count, ++values) *values = static_cast<int8_t>(Clamp(*values, min, max));
}

}  // namespace kws
