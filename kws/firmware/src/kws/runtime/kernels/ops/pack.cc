// SPDX-License-Identifier: Apache-2.0
// PACK, any type: the inputs become slices of the output along a new dimension.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/concat_split.h"

namespace kws {
namespace {

enum Options { kAxis = 1 };

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kPack));
  return PreparePack(context, context.Option<int32_t>(kAxis, 0));
}

}  // namespace

KWS_REGISTER(Pack, Prepare, InvokeConcat)

}  // namespace kws
