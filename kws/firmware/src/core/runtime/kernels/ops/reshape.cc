// SPDX-License-Identifier: Apache-2.0
// RESHAPE, any type: the output is another name for the input's bytes. The second input, which
// repeats the output's shape, is not read.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/alias.h"

namespace kws {

KWS_REGISTER(Reshape, PrepareAlias, CopyWhole)

}  // namespace kws
