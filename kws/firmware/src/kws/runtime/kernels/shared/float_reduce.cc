// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/float_reduce.h"

#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_math.h"
#include "kws/runtime/kernels/shared/reduce_plan.h"

namespace kws {
namespace {

// One reference more than the int8 kernel's two.
enum References { kInput, kOutput, kReferences = 2 + kFloat32Mark };

struct alignas(4) Params {
  ReduceLoops loops;
  float divisor;
};

}  // namespace

Status PrepareFloatReduce(PrepareContext& context, bool mean) {
  Tensor input;
  Tensor output;
  uint32_t axes;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kReducer));
  KWS_RETURN_IF_ERROR(ReadFloat32(context, &input, &output));
  KWS_RETURN_IF_ERROR(ReadReducedAxes(context, input, &axes));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  const int32_t count = PlanReduceLoops(input, axes, &params->loops);
  if (uint64_t{output.elements} * static_cast<uint32_t>(count) != input.elements) {
    return Status::kUnsupportedShape;
  }
  params->divisor = mean ? static_cast<float>(count) : 1.0f;
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  return Status::kOk;
}

void InvokeFloatReduce(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const ReduceLoops& loops = params.loops;
  const float divisor = params.divisor;
  ForEachReduced(loops, context.Data<float>(kInput), context.MutableData<float>(kOutput),
                 [&loops, divisor](const float* first) {
                   float sum = 0.0f;
                   ForEachValue(loops, first, [&sum](float x) { sum += x; });
                   return sum / divisor;
                 });
}

}  // namespace kws
