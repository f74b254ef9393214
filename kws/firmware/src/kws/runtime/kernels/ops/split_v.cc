// SPDX-License-Identifier: Apache-2.0
// SPLIT_V, any type: outputs of any size along the dimension in input 2. Input 1, the sizes, is not
// read.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/concat_split.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSplitV));
  return PrepareSplit(context, 0, 2);
}

}  // namespace

KWS_REGISTER(SplitV, Prepare, InvokeSplit)

}  // namespace kws
