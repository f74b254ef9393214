// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/clip.h"

#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

#if !KWS_HAVE_DSP
namespace kws {

void ClipBytes(int8_t min, int8_t max, int8_t* values, int32_t count) {
  if (min == INT8_MIN && max == INT8_MAX) return;
  for (; count > 0; --count, ++values) *values = static_cast<int8_t>(Clamp(*values, min, max));
}

}  // namespace kws
#endif
