// SPDX-License-Identifier: Apache-2.0
// ASSIGN_VARIABLE, any type: copies input 1 to the resource variable that input 0 is a handle of.
// Before the first assignment, each byte of the variable is the zero point of the first
// ASSIGN_VARIABLE's input 1.
#include <cstring>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/copy.h"

namespace kws {
namespace {

enum References { kVariable, kValue, kReferences };

struct alignas(4) Params {
  uint32_t bytes;
  uint8_t first_value;
  bool fills;  // the first ASSIGN_VARIABLE of the variable
};

Status Prepare(PrepareContext& context) {
  Tensor value;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kAssignVariable));
  KWS_RETURN_IF_ERROR(context.Input(1, &value));
  if (value.bytes == 0) return Status::kUnsupportedType;
  if (!context.HasInput(0)) return Status::kBadModel;
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  KWS_RETURN_IF_ERROR(context.BindVariable(kVariable, 0, value.bytes, true, &params->fills));
  context.BindInput(kValue, 1);
  context.OfferVariableAlias(1, false);
  params->bytes = value.bytes;
  params->first_value = static_cast<uint8_t>(value.zero_point);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const uint8_t* from = context.Data<uint8_t>(kValue);
  uint8_t* to = context.MutableData<uint8_t>(kVariable);
  if (from == to) return;  // the tensor is an alias of the variable
  CopyForward(to, from, static_cast<int32_t>(context.Params<Params>().bytes));
}

void Reset(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  if (!params.fills) return;
  std::memset(context.MutableData<uint8_t>(kVariable), params.first_value, params.bytes);
}

}  // namespace

KWS_REGISTER_STATEFUL(AssignVariable, Prepare, Invoke, Reset)

}  // namespace kws
