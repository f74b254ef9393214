// SPDX-License-Identifier: Apache-2.0
// PADV2, int8, int16, int32 and float32: padding with a given value.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/padding.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PreparePad(context, OptionsType::kPadV2); }

}  // namespace

KWS_REGISTER(PadV2, Prepare, InvokePad)

}  // namespace kws
