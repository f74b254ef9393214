// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/avx2.h"
#include "kws/runtime/kernels/loops/clip.h"
#include "kws/runtime/kernels/loops/portable/sum.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/loops/sum.h"
#include "kws/runtime/kernels/loops/x86/sum_avx2_loops.h"

#if !KWS_HAVE_DSP
namespace kws {

void RunSum(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const SumParams& params = context.Params<SumParams>();
  const Sum sum = SumValues(params);
  const int8_t* from = params.exact == 0 ? a : b;
  const int8_t* other = params.exact == 0 ? b : a;
  const int32_t count = params.broadcast.run;
  int32_t done = 0;
  if (avx2::in_use) {
    done = avx2::RunSum(sum, from, other, count, output);
    from += done * sum.exact_step;
    other += done * sum.other_step;
  }
  SumEach(sum, from, other, count - done, output + done);
  ClipBytes(params.output.min, params.output.max, output, count);
}

}  // namespace kws
#endif
