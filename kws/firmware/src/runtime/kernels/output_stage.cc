#include "runtime/kernels/output_stage.h"

namespace kws {

void Outputs::WriteAny(int factor, int32_t sum, int8_t* to) const {
  *to = ToInt8(sum, multipliers_[factor], shifts_[factor], stage_);
}

}  // namespace kws
