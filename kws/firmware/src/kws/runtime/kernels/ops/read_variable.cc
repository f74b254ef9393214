// SPDX-License-Identifier: Apache-2.0
// READ_VARIABLE, any type: copies the resource variable that input 0 is a handle of.
#include <cstring>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/copy.h"

namespace kws {
namespace {

enum References { kVariable, kOutput, kReferences };

struct alignas(4) Params {
  uint32_t bytes;
  bool clears;  // no earlier op initializes the variable
};

Status Prepare(PrepareContext& context) {
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kReadVariable));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (output.bytes == 0) return Status::kUnsupportedType;
  if (!context.HasInput(0)) return Status::kBadModel;
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  KWS_RETURN_IF_ERROR(context.BindVariable(kVariable, 0, output.bytes, false, &params->clears));
  context.BindOutput(kOutput, 0);
  context.OfferVariableAlias(0, true);
  params->bytes = output.bytes;
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const uint8_t* from = context.Data<uint8_t>(kVariable);
  uint8_t* to = context.MutableData<uint8_t>(kOutput);
  if (from == to) return;  // the tensor is an alias of the variable
  CopyForward(to, from, static_cast<int32_t>(context.Params<Params>().bytes));
}

void Reset(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  if (params.clears) std::memset(context.MutableData<uint8_t>(kVariable), 0, params.bytes);
}

}  // namespace

KWS_REGISTER_STATEFUL(ReadVariable, Prepare, Invoke, Reset)

}  // namespace kws
