// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/pool.h"

#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/window.h"

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
enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  Window window;
  int8_t min;
  int8_t max;
};

}  // namespace

Status PreparePool(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kPool2D));
  KWS_RETURN_IF_ERROR(ReadInt8(context, &input, &output));
  const float scale_difference = input.scale - output.scale;
  if (scale_difference > 1e-6f || scale_difference < -1e-6f ||
      input.zero_point != output.zero_point) {
    return Status::kBadQuantization;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  const WindowOptions options{
      static_cast<Padding>(context.Option<uint8_t>(kPadding, 0)),
      context.Option<int32_t>(kFilterHeight, 0),
      context.Option<int32_t>(kFilterWidth, 0),
      context.Option<int32_t>(kStrideHeight, 0),
      context.Option<int32_t>(kStrideWidth, 0),
      1,
      1,
  };
  KWS_RETURN_IF_ERROR(MakeWindow(input, output, options, &params->window));
  if (params->window.in_channels != params->window.out_channels) return Status::kUnsupportedShape;
  ActivationRange range;
  KWS_RETURN_IF_ERROR(GetActivationRange(
      static_cast<Activation>(context.Option<uint8_t>(kActivation, 0)), output, &range));
  params->min = static_cast<int8_t>(range.min);
  params->max = static_cast<int8_t>(range.max);
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  // Rows are computed from first to last.
  PlanEntry::Overlap overlap = RowOverlap(params->window);
  overlap.backward = PlanEntry::kFar;
  context.AllowOverlap(0, 0, overlap);
  return Status::kOk;
}

void InvokePool(const InvokeContext& context,
                void (*pool)(const PoolPixel& pixel, int8_t* output)) {
  const Params& params = context.Params<Params>();
  const Window& window = params.window;
  const int8_t* image = context.Data<int8_t>(kInput);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  const int channels = window.in_channels;
  const int row_bytes = window.in_width * channels;
  PoolPixel pixel{};
  pixel.channels = channels;
  pixel.row_bytes = row_bytes;
  pixel.min = params.min;
  pixel.max = params.max;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int y = 0; y < window.out_height; ++y) {
      const int origin_y = y * window.stride_height - window.pad_top;
      const TapRange rows = ValidTaps(origin_y, window.height, 1, window.in_height);
      for (int x = 0; x < window.out_width; ++x) {
        const int origin_x = x * window.stride_width - window.pad_left;
        const TapRange columns = ValidTaps(origin_x, window.width, 1, window.in_width);
        pixel.first =
            image + (origin_y + rows.begin) * row_bytes + (origin_x + columns.begin) * channels;
        pixel.height = rows.end - rows.begin;
        pixel.width = columns.end - columns.begin;
        if (pixel.width == window.in_width) {  // whole rows are contiguous
          pixel.width *= pixel.height;
          pixel.height = 1;
        }
        pool(pixel, output);
        output += channels;
      }
    }
    image += static_cast<int32_t>(window.in_height) * row_bytes;
  }
}

}  // namespace kws
