// SPDX-License-Identifier: Apache-2.0
// CALL_ONCE: runs another graph of the model, without inputs and outputs, that fills resource
// variables. GraphBuilder puts its ops first; AllocateTensors and Reset run them.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kCallOnce));
  if (context.inputs() != 0 || context.outputs() != 0) return Status::kBadModel;
  return context.MayCallOnce() ? Status::kOk : Status::kUnsupportedOption;
}

void Invoke(const InvokeContext&) {}

}  // namespace

KWS_REGISTER(CallOnce, Prepare, Invoke)

}  // namespace kws
