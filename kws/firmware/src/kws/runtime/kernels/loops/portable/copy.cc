// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/copy.h"

#include "kws/runtime/kernels/loops/portable/copy.h"
#include "kws/runtime/kernels/loops/processor.h"

#if !KWS_HAVE_DSP
namespace kws {

void CopyForward(uint8_t* to, const uint8_t* from, int32_t bytes) { CopyWords(to, from, bytes); }

}  // namespace kws
#endif
