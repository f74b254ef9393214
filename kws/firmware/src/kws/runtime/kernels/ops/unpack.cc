// SPDX-License-Identifier: Apache-2.0
// UNPACK, any type: the outputs are the slices of the input along a dimension, which they lack.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/concat_split.h"

namespace kws {
namespace {

enum Options { kAxis = 1 };

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kUnpack));
  return PrepareUnpack(context, context.Option<int32_t>(kAxis, 0));
}

}  // namespace

KWS_REGISTER(Unpack, Prepare, InvokeSplit)

}  // namespace kws
