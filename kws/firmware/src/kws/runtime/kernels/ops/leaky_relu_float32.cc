// SPDX-License-Identifier: Apache-2.0
// LEAKY_RELU, float32: x where x > 0, else alpha * x.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_unary.h"
#include "kws/runtime/kernels/shared/lookup_table.h"

namespace kws {
namespace {

enum Options { kAlpha = 0 };

Status Prepare(PrepareContext& context) {
  FloatUnaryParams* params;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kLeakyRelu));
  KWS_RETURN_IF_ERROR(PrepareFloatUnary(context, LookupTable::kReferences + kFloat32Mark, &params));
  params->alpha = context.Option<float>(kAlpha, 0.0f);
  return Status::kOk;
}

void Invoke(const InvokeContext& context) {
  const float alpha = context.Params<FloatUnaryParams>().alpha;
  RunFloatUnary(context, [alpha](float x) { return x > 0.0f ? x : x * alpha; });
}

}  // namespace

KWS_REGISTER_TYPE(LeakyRelu, Float32, Prepare, Invoke)

}  // namespace kws
