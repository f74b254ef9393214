// SPDX-License-Identifier: Apache-2.0
// Ops that change only the shape: RESHAPE, SQUEEZE, EXPAND_DIMS.
#ifndef KWS_RUNTIME_KERNELS_SHARED_ALIAS_H_
#define KWS_RUNTIME_KERNELS_SHARED_ALIAS_H_

#include "kws/runtime/kernel_context.h"
#include "kws/status.h"

namespace kws {

// Makes output 0 an alias of input 0; if the input is a constant or a variable, allocates a record
// for CopyWhole. Both must have the same number of elements.
Status PrepareAlias(PrepareContext& context);
void CopyWhole(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_ALIAS_H_
