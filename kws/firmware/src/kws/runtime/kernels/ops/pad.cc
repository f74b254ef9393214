// SPDX-License-Identifier: Apache-2.0
// PAD, int8, int16, int32 and float32: padding with the number 0.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/padding.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PreparePad(context, OptionsType::kPad); }

}  // namespace

KWS_REGISTER(Pad, Prepare, InvokePad)

}  // namespace kws
