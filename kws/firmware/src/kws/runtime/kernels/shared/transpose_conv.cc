// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/transpose_conv.h"

namespace kws {

// Input 0, the output's shape, is not read.
Status ReadTransposeConv(const PrepareContext& context, TensorType value, TensorType weight,
                         PlainFilter* op) {
  enum Options { kPadding = 0, kStrideWidth = 1, kStrideHeight = 2 };
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kTransposeConv));
  KWS_RETURN_IF_ERROR(context.Input(1, &op->filter));
  KWS_RETURN_IF_ERROR(context.Input(2, &op->input));
  KWS_RETURN_IF_ERROR(context.Output(0, &op->output));
  if (op->input.type != value || op->filter.type != weight || op->output.type != value) {
    return Status::kUnsupportedType;
  }
  op->has_bias = context.HasInput(3);
  if (op->has_bias) KWS_RETURN_IF_ERROR(context.Input(3, &op->bias));
  if (!op->filter.is_constant() || (op->has_bias && !op->bias.is_constant())) {
    return Status::kUnsupportedOption;
  }
  if (op->filter.rank != 4) return Status::kUnsupportedShape;
  const WindowOptions options{
      static_cast<Padding>(context.Option<uint8_t>(kPadding, 0)),
      op->filter.dims[1],
      op->filter.dims[2],
      context.Option<int32_t>(kStrideHeight, 0),
      context.Option<int32_t>(kStrideWidth, 0),
      1,
      1,
  };
  op->conv = PlainConv{};
  KWS_RETURN_IF_ERROR(MakeWindow(op->output, op->input, options, &op->conv.window));
  op->conv.channels = op->conv.window.in_channels;
  const bool fits =
      op->filter.dims[0] == op->conv.channels &&
      op->filter.dims[3] == op->conv.window.out_channels &&
      (!op->has_bias || op->bias.elements == static_cast<uint32_t>(op->conv.channels));
  return fits ? Status::kOk : Status::kUnsupportedShape;
}

void BindTransposeConv(PrepareContext& context) {
  context.BindInput(PlainFilter::kInput, 2);
  context.BindInput(PlainFilter::kFilter, 1);
  context.BindInput(PlainFilter::kBias, 3);
  context.BindOutput(PlainFilter::kOutput, 0);
}

}  // namespace kws
