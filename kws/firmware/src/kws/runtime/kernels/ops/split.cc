// SPDX-License-Identifier: Apache-2.0
// SPLIT, any type: outputs of equal size along the dimension in input 0.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/concat_split.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kSplit));
  Tensor first;
  KWS_RETURN_IF_ERROR(context.Output(0, &first));
  for (int i = 1; i < context.outputs(); ++i) {
    Tensor other;
    KWS_RETURN_IF_ERROR(context.Output(i, &other));
    // PrepareSplit compares all dimensions except one with the input's.
    if (other.elements != first.elements) return Status::kUnsupportedShape;
  }
  return PrepareSplit(context, 1, 0);
}

}  // namespace

KWS_REGISTER(Split, Prepare, InvokeSplit)

}  // namespace kws
