// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/bilinear.h"

namespace kws {
namespace {

enum Options { kAlignCorners = 2, kHalfPixelCenters = 3 };

constexpr int32_t kLongestSide = 65535;

}  // namespace

Status ReadResizedImage(const PrepareContext& context, TensorType type, ResizedImage* image) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kResizeBilinear));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != type || output.type != type) return Status::kUnsupportedType;
  if (input.rank != 4 || output.rank != 4 || input.dims[0] != output.dims[0] ||
      input.dims[3] != output.dims[3]) {
    return Status::kUnsupportedShape;
  }
  *image = ResizedImage{
      input.dims[0],
      input.dims[3],
      input.dims[1],
      input.dims[2],
      output.dims[1],
      output.dims[2],
      context.Option<uint8_t>(kAlignCorners, 0) != 0,
      context.Option<uint8_t>(kHalfPixelCenters, 0) != 0,
  };
  const int32_t sides[] = {image->in_height, image->in_width, image->out_height, image->out_width};
  for (const int32_t side : sides) {
    if (side > kLongestSide) return Status::kUnsupportedShape;
  }
  return image->align_corners && image->half_pixels ? Status::kUnsupportedOption : Status::kOk;
}

}  // namespace kws
