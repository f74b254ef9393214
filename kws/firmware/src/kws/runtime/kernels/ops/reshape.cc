// SPDX-License-Identifier: Apache-2.0
// RESHAPE, any type: the output is an alias of the input. Input 1, the output's shape, is not read.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/alias.h"

namespace kws {

KWS_REGISTER(Reshape, PrepareAlias, CopyWhole)

}  // namespace kws
