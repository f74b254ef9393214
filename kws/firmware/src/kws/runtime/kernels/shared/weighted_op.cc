// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/weighted_op.h"

#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {

Status WeightedOp::Read(const PrepareContext& context, OptionsType options, int rank,
                        int dimension) {
  KWS_RETURN_IF_ERROR(context.CheckOptions(options));
  KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  KWS_RETURN_IF_ERROR(context.Input(1, &filter));
  if (filter.type != TensorType::kInt8) return Status::kUnsupportedType;
  if (!filter.is_constant()) return Status::kUnsupportedOption;
  if (filter.rank != rank) return Status::kUnsupportedShape;
  const int32_t channels = filter.dims[dimension];
  KWS_RETURN_IF_ERROR(CheckBias(context, 2, channels));
  return FactorCount(filter, channels, dimension, &factors);
}

Status WeightedOp::Bind(PrepareContext& context, int activation, OutputStage* stage,
                        int32_t* to) const {
  context.BindInput(kInput, 0);
  context.BindInput(kFilter, 1);
  context.BindInput(kBias, 2);
  context.BindOutput(kOutput, 0);
  return MakeOutputStage(context, activation, input, filter, output, stage, to);
}

Status WeightedOp::GetWindow(const PrepareContext& context, int activation, Window* window) const {
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
  return MakeWindow(input, output, options, window);
}

}  // namespace kws
