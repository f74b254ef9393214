// SPDX-License-Identifier: Apache-2.0
// EXPAND_DIMS, any type: the output is an alias of the input. Input 1, the new dimension's
// position, is not read.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/alias.h"

namespace kws {

KWS_REGISTER(ExpandDims, PrepareAlias, CopyWhole)

}  // namespace kws
