// SPDX-License-Identifier: Apache-2.0
// Ops that give the same bytes another shape: RESHAPE, SQUEEZE, EXPAND_DIMS.
#ifndef KWS_RUNTIME_KERNELS_SHARED_ALIAS_H_
#define KWS_RUNTIME_KERNELS_SHARED_ALIAS_H_

#include "runtime/kernel_context.h"
#include "status.h"

namespace kws {

// Makes output 0 another name of input 0, or, where that is a constant or a variable, a record for
// CopyWhole. The output's shape is the model's; only the number of elements has to be the input's.
Status PrepareAlias(PrepareContext& context);
void CopyWhole(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_ALIAS_H_
