// SPDX-License-Identifier: Apache-2.0
// RESIZE_NEAREST_NEIGHBOR, any type: NHWC. Input 1, the output's height and width, is not read.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

enum Options { kAlignCorners = 0, kHalfPixelCenters = 1 };
enum References { kInput, kOutput, kReferences };

struct ResizedSide {
  int32_t in;
  int32_t out;
  float scale;
};

struct alignas(4) Params {
  int32_t batches;
  ResizedSide rows;
  ResizedSide columns;
  int32_t pixel_bytes;
  float offset;
  bool align_corners;
};

ResizedSide MakeSide(int32_t in, int32_t out, bool align_corners) {
  const bool corners = align_corners && out > 1;
  return ResizedSide{in, out,
                     corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                             : static_cast<float>(in) / static_cast<float>(out)};
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kResizeNearestNeighbor));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != output.type || input.bytes == 0) return Status::kUnsupportedType;
  if (input.rank != 4 || output.rank != 4 || input.dims[0] != output.dims[0] ||
      input.dims[3] != output.dims[3]) {
    return Status::kUnsupportedShape;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  params->align_corners = context.Option<uint8_t>(kAlignCorners, 0) != 0;
  params->offset = context.Option<uint8_t>(kHalfPixelCenters, 0) != 0 ? 0.5f : 0.0f;
  params->batches = input.dims[0];
  params->rows = MakeSide(input.dims[1], output.dims[1], params->align_corners);
  params->columns = MakeSide(input.dims[2], output.dims[2], params->align_corners);
  params->pixel_bytes = input.dims[3] * static_cast<int32_t>(ElementSize(input.type));
  return Status::kOk;
}

// The input's row or column for one of the output, in float as in TFLM.
int32_t Nearest(const Params& params, const ResizedSide& side, int32_t output) {
  const float at = (static_cast<float>(output) + params.offset) * side.scale;
  const int32_t nearest = params.align_corners ? RoundToInt(at) : static_cast<int32_t>(at);
  return nearest < side.in ? nearest : side.in - 1;
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const uint8_t* image = context.Data<uint8_t>(kInput);
  uint8_t* output = context.MutableData<uint8_t>(kOutput);
  const int32_t row_bytes = params.columns.in * params.pixel_bytes;
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    for (int32_t y = 0; y < params.rows.out; ++y) {
      const uint8_t* row = image + Nearest(params, params.rows, y) * row_bytes;
      for (int32_t x = 0; x < params.columns.out; ++x) {
        CopyForward(output, row + Nearest(params, params.columns, x) * params.pixel_bytes,
                    params.pixel_bytes);
        output += params.pixel_bytes;
      }
    }
    image += params.rows.in * row_bytes;
  }
}

}  // namespace

KWS_REGISTER(ResizeNearestNeighbor, Prepare, Invoke)

}  // namespace kws
