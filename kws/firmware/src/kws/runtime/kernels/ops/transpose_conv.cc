// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV, int8; filter [out channels][height][width][in channels].
#include "kws/runtime/kernels/shared/transpose_conv.h"

#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

// Followed by the output stage's factors.
struct alignas(4) Params {
  Window window;
  int32_t offset;
  OutputStage stage;
};

// Wraps around, as the sums of a hostile model may.
struct Sum {
  uint32_t bits;

  Sum(int32_t x) : bits(static_cast<uint32_t>(x)) {}  // NOLINT(google-explicit-constructor)
  Sum operator+(Sum other) const { return Sum(static_cast<int32_t>(bits + other.bits)); }
  Sum operator*(Sum other) const { return Sum(static_cast<int32_t>(bits * other.bits)); }
  Sum& operator+=(Sum other) { return *this = *this + other; }
};

Status Prepare(PrepareContext& context) {
  PlainFilter op;
  uint32_t factors;
  KWS_RETURN_IF_ERROR(ReadTransposeConv(context, TensorType::kInt8, TensorType::kInt8, &op));
  if (op.has_bias && op.bias.type != TensorType::kInt32) return Status::kUnsupportedType;
  KWS_RETURN_IF_ERROR(CheckQuantized(op.input));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  KWS_RETURN_IF_ERROR(FactorCount(op.filter, op.conv.channels, 0, &factors));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kTransposeConvReferences, &params, FactorBytes(factors)));
  BindTransposeConv(context);
  params->window = op.conv.window;
  params->offset = -op.input.zero_point;
  return MakeOutputStage(context, kTransposeConvActivation, op.input, op.filter, op.output,
                         &params->stage, reinterpret_cast<int32_t*>(params + 1));
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const Outputs outputs(params.stage, context.Extra<int32_t, Params>(), params.window.in_channels);
  const int32_t* bias = context.Data<int32_t>(PlainFilter::kBias);
  RunTransposeConv<Sum>(params.window, context.Data<int8_t>(PlainFilter::kInput),
                        Sum(params.offset), context.Data<int8_t>(PlainFilter::kFilter),
                        context.MutableData<int8_t>(PlainFilter::kOutput),
                        [&outputs, bias](int32_t channel, Sum sum) {
                          if (bias != nullptr) sum += Sum(LoadAs<int32_t>(bias + channel));
                          return outputs.At(channel, static_cast<int32_t>(sum.bits));
                        });
}

}  // namespace

KWS_REGISTER(TransposeConv, Prepare, Invoke)

}  // namespace kws
