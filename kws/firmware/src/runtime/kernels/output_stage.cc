#include "runtime/kernels/output_stage.h"

namespace kws {

int8_t Outputs::At(int32_t sum) const { return ToInt8(sum, *multipliers_, *shifts_, stage_); }

}  // namespace kws
