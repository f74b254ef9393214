// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR: NHWC. Input 1, the output's height and width, is not read.
#ifndef KWS_RUNTIME_KERNELS_SHARED_BILINEAR_H_
#define KWS_RUNTIME_KERNELS_SHARED_BILINEAR_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/exact_floats.h"

namespace kws {

// The image before and after.
struct ResizedImage {
  int32_t batches;
  int32_t channels;
  int32_t in_height;
  int32_t in_width;
  int32_t out_height;
  int32_t out_width;
  bool align_corners;
  bool half_pixels;
};

// Reads and checks an op's tensors and options. Sides are at most 65,535.
Status ReadResizedImage(const PrepareContext& context, TensorType type, ResizedImage* image);

// Side: Make(image, in, out) is for a side of the image, and At(i) the position of output i, with
// the input's `pixel`, the `next` one and its `weight`.
template <typename Side>
struct alignas(4) BilinearParams {
  ResizedImage image;
  Side rows;
  Side columns;
};

// `references` of the record.
template <typename Side>
Status PrepareBilinear(PrepareContext& context, TensorType type, int references) {
  ResizedImage image;
  KWS_RETURN_IF_ERROR(ReadResizedImage(context, type, &image));
  BilinearParams<Side>* params;
  KWS_RETURN_IF_ERROR(context.Allocate(references, &params));
  context.BindInput(0, 0);
  context.BindOutput(1, 0);
  params->image = image;
  params->rows = Side::Make(image, image.in_height, image.out_height);
  params->columns = Side::Make(image, image.in_width, image.out_width);
  return Status::kOk;
}

// Writes all outputs. Blend: a function of a pixel, the ones below, to the right and diagonally,
// and the two weights.
template <typename T, typename Side, typename Blend>
void InvokeBilinear(const InvokeContext& context, Blend blend) {
  const BilinearParams<Side>& params = context.Params<BilinearParams<Side>>();
  const ResizedImage& image = params.image;
  const Side rows = params.rows;
  const Side columns = params.columns;
  const T* input = context.Data<T>(0);
  T* output = context.MutableData<T>(1);
  const int32_t channels = image.channels;
  const int32_t row_size = image.in_width * channels;
  for (int32_t batch = 0; batch < image.batches; ++batch) {
    for (int32_t y = 0; y < image.out_height; ++y) {
      const auto row = rows.At(y);
      const T* upper = input + row.pixel * row_size;
      const T* lower = input + row.next * row_size;
      for (int32_t x = 0; x < image.out_width; ++x) {
        const auto column = columns.At(x);
        const int32_t left = column.pixel * channels;
        const int32_t right = column.next * channels;
        for (int32_t c = 0; c < channels; ++c) {
          *output++ = blend(LoadAs<T>(upper + left + c), LoadAs<T>(lower + left + c),
                            LoadAs<T>(upper + right + c), LoadAs<T>(lower + right + c), row.weight,
                            column.weight);
        }
      }
    }
    input += image.in_height * row_size;
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_BILINEAR_H_
