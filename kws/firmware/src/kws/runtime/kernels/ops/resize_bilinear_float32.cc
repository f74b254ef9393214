// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/bilinear.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {
namespace {

struct Position {
  int32_t pixel;
  int32_t next;
  float weight;  // of `next`; below 0 or above 1 outside the image, as in TFLM
};

struct Side {
  float scale;   // pixels of the input per pixel of the output
  int32_t last;  // pixel of the input
  bool half_pixels;

  static Side Make(const ResizedImage& image, int32_t in, int32_t out) {
    const int32_t corner = image.align_corners && out > 1 ? 1 : 0;
    return Side{static_cast<float>(in - corner) / static_cast<float>(out - corner), in - 1,
                image.half_pixels};
  }

  Position At(int32_t i) const {
    const float index = static_cast<float>(i);
    const float at = half_pixels ? (index + 0.5f) * scale - 0.5f : index * scale;
    const int32_t whole = static_cast<int32_t>(at);  // towards zero
    const int32_t floor = whole - (at < static_cast<float>(whole) ? 1 : 0);
    const int32_t ceiling = whole + (at > static_cast<float>(whole) ? 1 : 0);
    const int32_t pixel = Clamp(floor, 0, last);
    return Position{pixel, Clamp(ceiling, 0, last), at - static_cast<float>(pixel)};
  }
};

Status Prepare(PrepareContext& context) {
  return PrepareBilinear<Side>(context, TensorType::kFloat32, 2 + kFloat32Mark);
}

// In TFLM's order.
float Blend(float pixel, float below, float right, float diagonal, float down, float across) {
  return pixel * (1.0f - down) * (1.0f - across) + below * down * (1.0f - across) +
         right * (1.0f - down) * across + diagonal * down * across + 0.0f;
}

void Invoke(const InvokeContext& context) { InvokeBilinear<float, Side>(context, Blend); }

}  // namespace

KWS_REGISTER_TYPE(ResizeBilinear, Float32, Prepare, Invoke)

}  // namespace kws
