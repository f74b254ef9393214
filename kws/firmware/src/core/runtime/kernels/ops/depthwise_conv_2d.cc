// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D, int8: NHWC input, filter [1][height][width][out channels]; output channel
// c * multiplier + m is input channel c with its own window.
#include "runtime/kernel_context.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/depthwise_rows.h"
#include "runtime/kernels/shared/output_stage.h"
#include "runtime/kernels/shared/quantization.h"
#include "runtime/kernels/shared/weighted_op.h"
#include "runtime/kernels/shared/window.h"

namespace kws {
namespace {

constexpr int kActivation = 4;  // its option; the multiplier is before it

// Followed by the output stage's factors.
struct alignas(4) Params {
  Window window;
  int16_t input_offset;
  OutputStage stage;
};

Status Prepare(PrepareContext& context) {
  WeightedOp op;
  KWS_RETURN_IF_ERROR(op.Read(context, OptionsType::kDepthwiseConv2D, 4, 3));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(WeightedOp::kReferences, &params, FactorBytes(op.factors)));
  Window& window = params->window;
  KWS_RETURN_IF_ERROR(op.GetWindow(context, kActivation, &window));
  // The multiplier option is redundant, and some exporters leave it out.
  if (op.filter.dims[0] != 1 || window.out_channels != op.filter.dims[3] ||
      window.out_channels % window.in_channels != 0) {
    return Status::kUnsupportedShape;
  }
  params->input_offset = op.input_offset();
  KWS_RETURN_IF_ERROR(context.BindScratch(WeightedOp::kScratch, DepthwiseRowsScratch(window)));
  context.AllowOverlap(0, 0, DepthwiseRowsOverlap(window));
  return op.Bind(context, kActivation, &params->stage, reinterpret_cast<int32_t*>(params + 1));
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const Outputs outputs(params.stage, context.Extra<int32_t, Params>(), params.window.out_channels);
  RunDepthwiseRows(DepthwiseRows{
      params.window,
      params.input_offset,
      context.Data<int8_t>(WeightedOp::kInput),
      context.Data<int8_t>(WeightedOp::kFilter),
      context.Data<int32_t>(WeightedOp::kBias),
      outputs,
      context.MutableData<int8_t>(WeightedOp::kOutput),
      context.MutableData<int16_t>(WeightedOp::kScratch),
  });
}

constexpr Registration kRegistration{BuiltinOp::kDepthwiseConv2D, Prepare, Invoke};

}  // namespace

const Registration& kernels::DepthwiseConv2D() { return kRegistration; }

}  // namespace kws
