// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/alias.h"

#include <cstring>

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  uint32_t bytes;
};

}  // namespace

Status PrepareAlias(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  if (input.elements != output.elements) return Status::kUnsupportedShape;
  if (context.ShareOutput(0, 0)) return Status::kOk;

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  params->bytes = input.bytes;
  return Status::kOk;
}

void CopyWhole(const InvokeContext& context) {
  std::memcpy(context.MutableData<uint8_t>(kOutput), context.Data<uint8_t>(kInput),
              context.Params<Params>().bytes);
}

}  // namespace kws
