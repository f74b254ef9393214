// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR, int8.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/bilinear.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {
namespace {

constexpr int kBits = 10;  // of fraction, of a position
constexpr int32_t kOne = 1 << kBits;

struct Position {
  int32_t pixel;
  int32_t next;
  int32_t weight;  // of `next`
};

struct Side {
  int32_t scale;   // pixels of the input per pixel of the output
  int32_t offset;  // of output 0
  int32_t last;    // pixel of the input

  static Side Make(const ResizedImage& image, int32_t in, int32_t out) {
    const int32_t corner = image.align_corners && out > 1 ? 1 : 0;
    const int32_t steps = out - corner;
    const int32_t scale = (kOne * (in - corner) + steps / 2) / steps;
    return Side{scale, image.half_pixels ? scale / 2 - kOne / 2 : 0, in - 1};
  }

  // Positions outside the image count as its edge. TFLM reads beyond it where the scale was rounded
  // up; everywhere else the result is the same.
  Position At(int32_t i) const {
    const int32_t at = Clamp(i * scale + offset, 0, last * kOne);
    const int32_t weight = at & (kOne - 1);
    return Position{at >> kBits, (at >> kBits) + (weight != 0 ? 1 : 0), weight};
  }
};

Status Prepare(PrepareContext& context) {
  return PrepareBilinear<Side>(context, TensorType::kInt8, 2);
}

int8_t Blend(int8_t pixel, int8_t below, int8_t right, int8_t diagonal, int32_t down,
             int32_t across) {
  const int32_t upper = pixel * (kOne - across) + right * across;
  const int32_t lower = below * (kOne - across) + diagonal * across;
  return static_cast<int8_t>(
      RoundingDivideByPowerOfTwo(upper * (kOne - down) + lower * down, 2 * kBits));
}

void Invoke(const InvokeContext& context) { InvokeBilinear<int8_t, Side>(context, Blend); }

}  // namespace

KWS_REGISTER(ResizeBilinear, Prepare, Invoke)

}  // namespace kws
