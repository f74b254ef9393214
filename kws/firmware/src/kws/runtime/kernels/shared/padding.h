// SPDX-License-Identifier: Apache-2.0
// PAD and PADV2.
#ifndef KWS_RUNTIME_KERNELS_SHARED_PADDING_H_
#define KWS_RUNTIME_KERNELS_SHARED_PADDING_H_

#include "kws/runtime/kernel_context.h"
#include "kws/status.h"

namespace kws {

// Input 1: int32 pairs, the elements before and after each dimension. Input 2, optional: their
// value, by default the number 0.
Status PreparePad(PrepareContext& context, OptionsType options);
void InvokePad(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_PADDING_H_
