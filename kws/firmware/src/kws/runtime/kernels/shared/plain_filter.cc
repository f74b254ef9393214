// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/plain_filter.h"

namespace kws {

Status PlainFilter::Read(const PrepareContext& context, TensorType value, TensorType weight,
                         int rank) {
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Input(1, &filter));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != value || filter.type != weight || output.type != value) {
    return Status::kUnsupportedType;
  }
  has_bias = context.HasInput(2);
  if (has_bias) KWS_RETURN_IF_ERROR(context.Input(2, &bias));
  if (!filter.is_constant() || (has_bias && !bias.is_constant())) {
    return Status::kUnsupportedOption;
  }
  return filter.rank == rank ? Status::kOk : Status::kUnsupportedShape;
}

Status PlainFilter::ReadWindow(const PrepareContext& context, int activation) {
  enum Options { kPadding = 0, kStrideWidth = 1, kStrideHeight = 2 };
  const WindowOptions options{
      static_cast<Padding>(context.Option<uint8_t>(kPadding, 0)),
      filter.dims[1],
      filter.dims[2],
      context.Option<int32_t>(kStrideHeight, 0),
      context.Option<int32_t>(kStrideWidth, 0),
      context.Option<int32_t>(activation + 2, 1),
      context.Option<int32_t>(activation + 1, 1),
  };
  KWS_RETURN_IF_ERROR(MakeWindow(input, output, options, &conv.window));
  conv.channels = conv.window.out_channels;
  conv.pixels = 0;
  return has_bias && bias.elements != static_cast<uint32_t>(conv.channels)
             ? Status::kUnsupportedShape
             : Status::kOk;
}

Status PlainFilter::ReadConv(const PrepareContext& context, TensorType value, TensorType weight) {
  enum { kActivation = 3 };
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kConv2D));
  KWS_RETURN_IF_ERROR(Read(context, value, weight, 4));
  KWS_RETURN_IF_ERROR(ReadWindow(context, kActivation));
  conv.depth = filter.dims[3];
  const int32_t groups = conv.window.in_channels / conv.depth;
  if (groups * conv.depth != conv.window.in_channels || filter.dims[0] != conv.channels ||
      groups == 0 || conv.channels % groups != 0) {
    return Status::kUnsupportedShape;
  }
  conv.shared = conv.channels / groups;
  conv.tap_step = conv.depth;
  conv.channel_step = filter.dims[1] * filter.dims[2] * conv.depth;
  return Status::kOk;
}

Status PlainFilter::ReadDepthwise(const PrepareContext& context, TensorType value,
                                  TensorType weight) {
  enum { kActivation = 4 };
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kDepthwiseConv2D));
  KWS_RETURN_IF_ERROR(Read(context, value, weight, 4));
  KWS_RETURN_IF_ERROR(ReadWindow(context, kActivation));
  conv.depth = 1;
  if (filter.dims[0] != 1 || filter.dims[3] != conv.channels ||
      conv.channels % conv.window.in_channels != 0) {
    return Status::kUnsupportedShape;
  }
  conv.shared = conv.channels / conv.window.in_channels;
  conv.tap_step = conv.channels;
  conv.channel_step = 1;
  return Status::kOk;
}

Status PlainFilter::ReadRows(const PrepareContext& context, TensorType value, TensorType weight) {
  enum { kWeightsFormat = 1 };
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kFullyConnected));
  KWS_RETURN_IF_ERROR(Read(context, value, weight, 2));
  if (context.Option<uint8_t>(kWeightsFormat, 0) != 0) return Status::kUnsupportedOption;
  conv = PlainConv{};
  conv.channels = filter.dims[0];
  conv.depth = filter.dims[1];
  const uint32_t rows = output.elements / static_cast<uint32_t>(conv.channels);
  conv.pixels = static_cast<int32_t>(rows);
  const bool fits = output.rank >= 1 && output.last_dim() == conv.channels &&
                    uint64_t{rows} * static_cast<uint32_t>(conv.depth) == input.elements &&
                    (!has_bias || bias.elements == static_cast<uint32_t>(conv.channels));
  return fits ? Status::kOk : Status::kUnsupportedShape;
}

}  // namespace kws
