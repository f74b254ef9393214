// SPDX-License-Identifier: Apache-2.0
// CONCATENATION, any type.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/concat_split.h"

namespace kws {
namespace {

enum Options { kAxis = 0, kActivation = 1 };

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kConcatenation));
  if (context.Option<uint8_t>(kActivation, 0) != static_cast<uint8_t>(Activation::kNone)) {
    return Status::kUnsupportedOption;
  }
  return PrepareConcat(context, context.Option<int32_t>(kAxis, 0));
}

}  // namespace

KWS_REGISTER(Concatenation, Prepare, InvokeConcat)

}  // namespace kws
