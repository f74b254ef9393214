// SPDX-License-Identifier: Apache-2.0
// SQUEEZE, any type: the output is an alias of the input. The option with the dimensions is not
// read.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/alias.h"

namespace kws {

KWS_REGISTER(Squeeze, PrepareAlias, CopyWhole)

}  // namespace kws
