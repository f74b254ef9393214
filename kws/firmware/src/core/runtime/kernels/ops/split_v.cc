// SPDX-License-Identifier: Apache-2.0
// SPLIT_V, any type: outputs of any sizes along the dimension that input 2 names. The sizes are the
// outputs'; input 1, which repeats them, is not read.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/concat_split.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSplitV));
  return PrepareSplit(context, 0, 2);
}

}  // namespace

KWS_REGISTER(SplitV, Prepare, InvokeSplit)

}  // namespace kws
