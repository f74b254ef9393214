#include "runtime/kernels/output_stage.h"

namespace kws {

int8_t Outputs::AnyToInt8(int32_t sum, int32_t multiplier, int shift, OutputStage stage) {
  return ToInt8(sum, multiplier, shift, stage);
}

}  // namespace kws
