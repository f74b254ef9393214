// RESHAPE, any type: the output is another name for the input's bytes.
#include <cstring>

#include "runtime/kernel_context.h"
#include "runtime/kernels/kernels.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  uint32_t bytes;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  // The output's shape is the model's; the second input repeats it.
  if (input.elements != output.elements) return Status::kUnsupportedShape;
  if (context.ShareOutput(0, 0)) return Status::kOk;

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  params->bytes = input.bytes;
  return Status::kOk;
}

// For constants and variables, which cannot share their bytes.
void Invoke(const InvokeContext& context) {
  std::memcpy(context.MutableData<uint8_t>(kOutput), context.Data<uint8_t>(kInput),
              context.Params<Params>().bytes);
}

constexpr Registration kRegistration{BuiltinOp::kReshape, Prepare, Invoke};

}  // namespace

const Registration& kernels::Reshape() { return kRegistration; }

}  // namespace kws
