// SPDX-License-Identifier: Apache-2.0
// What PAD and PADV2 share.
#ifndef KWS_RUNTIME_KERNELS_SHARED_PADDING_H_
#define KWS_RUNTIME_KERNELS_SHARED_PADDING_H_

#include "runtime/kernel_context.h"
#include "status.h"

namespace kws {

// Input 1: int32 pairs, how many elements go before and behind each dimension. Input 2, where
// there is one: the value they get; else they stand for the number 0.
Status PreparePad(PrepareContext& context, OptionsType options);
void InvokePad(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_PADDING_H_
