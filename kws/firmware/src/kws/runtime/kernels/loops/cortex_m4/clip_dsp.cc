// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kws/runtime/kernels/loops/clip.h"
#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {

void ClipBytes(int8_t min, int8_t max, int8_t* values, int32_t count) {
  if (min == INT8_MIN && max == INT8_MAX) return;
  const uint32_t four_min = dsp::FourTimes(min);
  const uint32_t four_max = dsp::FourTimes(max);
  for (; count >= 4; count -= 4) {
    const uint32_t four = LoadAs<uint32_t>(values);
    const uint32_t clipped = dsp::LargerBytes(dsp::SmallerBytes(four, four_max), four_min);
    std::memcpy(values, &clipped, sizeof(clipped));
    values += 4;
  }
  for (; count > 0; --count, ++values) *values = static_cast<int8_t>(Clamp(*values, min, max));
}

}  // namespace kws
#endif
