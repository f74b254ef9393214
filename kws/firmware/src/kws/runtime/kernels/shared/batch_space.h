// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: an NHWC (or NHC) tensor and one whose batches hold every
// n-th row and column of it.
#ifndef KWS_RUNTIME_KERNELS_SHARED_BATCH_SPACE_H_
#define KWS_RUNTIME_KERNELS_SHARED_BATCH_SPACE_H_

#include "kws/runtime/kernel_context.h"

namespace kws {

// Inputs 1 and 2, constants: the block's sizes; paddings or crops, two per dimension.
Status PrepareBatchSpace(PrepareContext& context, OptionsType options, bool to_batch);
void InvokeSpaceToBatch(const InvokeContext& context);
void InvokeBatchToSpace(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BATCH_SPACE_H_
