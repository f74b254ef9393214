// SPDX-License-Identifier: Apache-2.0
// PAD, int8, int16, int32 and float32: elements around the input that stand for 0.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/padding.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) { return PreparePad(context, OptionsType::kPad); }

constexpr Registration kRegistration{BuiltinOp::kPad, Prepare, InvokePad};

}  // namespace

const Registration& kernels::Pad() { return kRegistration; }
void kernels::invoke::Pad(const InvokeContext& context) { InvokePad(context); }

}  // namespace kws
