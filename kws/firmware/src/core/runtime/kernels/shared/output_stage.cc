// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/output_stage.h"

#include <cstring>

#include "runtime/kernels/shared/fixed_point.h"
#include "runtime/model/flatbuffer.h"

namespace kws {

int8_t Outputs::At(int channel, int32_t sum) const {
  const int i = channel * stage_.channel_step;
  const int32_t scaled = MultiplyByQuantizedMultiplier(sum, multipliers_[i], shifts_[i]);
  return static_cast<int8_t>(Clamp(WrappingAdd(scaled, stage_.offset), stage_.min, stage_.max));
}

#if KWS_HAVE_DSP
void Outputs::Clip(int8_t* outputs, int32_t count) const {
  if (!stage_.clips()) return;
  const uint32_t min = dsp::FourTimes(stage_.min);
  const uint32_t max = dsp::FourTimes(stage_.max);
  for (; count >= 4; count -= 4) {
    const uint32_t four = LoadAs<uint32_t>(outputs);
    const uint32_t clipped = dsp::LargerBytes(dsp::SmallerBytes(four, max), min);
    std::memcpy(outputs, &clipped, sizeof(clipped));
    outputs += 4;
  }
  for (; count > 0; --count, ++outputs) {
    *outputs = static_cast<int8_t>(Clamp(*outputs, stage_.min, stage_.max));
  }
}
#endif

}  // namespace kws
