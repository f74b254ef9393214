// SPDX-License-Identifier: Apache-2.0
// EXPAND_DIMS, any type: the output is another name for the input's bytes. The second input, the
// new dimension's place, follows from the output's shape.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/alias.h"

namespace kws {

KWS_REGISTER(ExpandDims, PrepareAlias, CopyWhole)

}  // namespace kws
