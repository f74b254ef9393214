// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/plain_pool.h"

namespace kws {
namespace {

enum Options {
  kPadding = 0,
  kStrideWidth = 1,
  kStrideHeight = 2,
  kFilterWidth = 3,
  kFilterHeight = 4,
  kActivation = 5,
};

}  // namespace

Status ReadPool(const PrepareContext& context, TensorType type, Tensor* output, Window* window,
                Activation* activation) {
  Tensor input;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kPool2D));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, output));
  if (input.type != type || output->type != type) return Status::kUnsupportedType;
  const WindowOptions options{
      static_cast<Padding>(context.Option<uint8_t>(kPadding, 0)),
      context.Option<int32_t>(kFilterHeight, 0),
      context.Option<int32_t>(kFilterWidth, 0),
      context.Option<int32_t>(kStrideHeight, 0),
      context.Option<int32_t>(kStrideWidth, 0),
      1,
      1,
  };
  KWS_RETURN_IF_ERROR(MakeWindow(input, *output, options, window));
  *activation = static_cast<Activation>(context.Option<uint8_t>(kActivation, 0));
  return window->in_channels == window->out_channels ? Status::kOk : Status::kUnsupportedShape;
}

}  // namespace kws
