// From 32-bit sums to int8 outputs, the same for all kernels that multiply and add.
#ifndef KWS_RUNTIME_KERNELS_OUTPUT_STAGE_H_
#define KWS_RUNTIME_KERNELS_OUTPUT_STAGE_H_

#include <cstdint>

#include "runtime/kernels/fixed_point.h"

namespace kws {

// Kept in the arena.
struct OutputStage {
  int16_t offset;  // the output's zero point
  int8_t min;      // the fused activation's range
  int8_t max;
};

inline int8_t ToInt8(int32_t sum, int32_t multiplier, int shift, const OutputStage& stage) {
  const int32_t scaled = MultiplyByQuantizedMultiplier(sum, multiplier, shift);
  return static_cast<int8_t>(Clamp(WrappingAdd(scaled, stage.offset), stage.min, stage.max));
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_OUTPUT_STAGE_H_
