// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE: a handle of a resource variable, which is kept between inferences. Handles with the
// same container and name are the same variable. No work at run time.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"

namespace kws {
namespace {

enum Options { kContainer = 0, kSharedName = 1 };

// Limits the time to compare names.
constexpr uint32_t kMaxNameBytes = 255;

Status Prepare(PrepareContext& context) {
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kVarHandle));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (output.type != TensorType::kResource) return Status::kUnsupportedType;
  const FlatVector container = context.OptionVector(kContainer, 1);
  const FlatVector name = context.OptionVector(kSharedName, 1);
  if (name.position == 0) return Status::kBadModel;
  if (container.count > kMaxNameBytes || name.count > kMaxNameBytes) {
    return Status::kUnsupportedOption;
  }
  return context.BindHandle(container, name);
}

void Invoke(const InvokeContext&) {}

}  // namespace

KWS_REGISTER(VarHandle, Prepare, Invoke)

}  // namespace kws
