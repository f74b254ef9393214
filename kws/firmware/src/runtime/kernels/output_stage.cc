#include "runtime/kernels/output_stage.h"

namespace kws {

#if KWS_HAVE_DSP
int8_t ExactInt8(int32_t sum, int32_t multiplier, int shift, OutputStage stage) {
  return ToInt8(sum, multiplier, shift, stage);
}
#endif

}  // namespace kws
