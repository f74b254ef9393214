// SPDX-License-Identifier: Apache-2.0
// SQUEEZE, any type: the output is another name for the input's bytes. The dimensions to leave out
// follow from the output's shape.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/alias.h"

namespace kws {

KWS_REGISTER(Squeeze, PrepareAlias, CopyWhole)

}  // namespace kws
