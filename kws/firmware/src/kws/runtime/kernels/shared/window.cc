// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/window.h"

#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {
namespace {

// One direction: checks the output's size against TensorFlow's padding rule and computes the
// padding before. Image sizes have 16 bits, so that a window's extent plus a size fits 32 bits.
Status Fit(Padding padding, uint32_t in, uint32_t out, uint32_t taps, uint32_t stride,
           uint32_t dilation, uint16_t* pad) {
  // 0 wraps around.
  if (taps - 1 >= UINT16_MAX || stride - 1 >= UINT16_MAX || dilation - 1 >= UINT16_MAX) {
    return Status::kUnsupportedShape;
  }
  const uint32_t extent = (taps - 1) * dilation + 1;
  uint32_t room = in + stride;
  if (padding == Padding::kSame) {
    room -= 1;
  } else {
    if (extent > room) return Status::kUnsupportedShape;
    room -= extent;
  }
  if (room / stride != out) return Status::kUnsupportedShape;
  const uint32_t covered = (out - 1) * stride + extent;
  const uint32_t before = covered > in ? (covered - in) / 2 : 0;
  if (before > UINT16_MAX) return Status::kUnsupportedShape;
  *pad = static_cast<uint16_t>(before);
  return Status::kOk;
}

}  // namespace

Status MakeWindow(const Tensor& input, const Tensor& output, const WindowOptions& options,
                  Window* window) {
  if (input.rank != 4 || output.rank != 4 || input.dims[0] != output.dims[0]) {
    return Status::kUnsupportedShape;
  }
  if (options.padding != Padding::kSame && options.padding != Padding::kValid) {
    return Status::kUnsupportedOption;
  }
  for (int i = 0; i < 4; ++i) {
    if (input.dims[i] > UINT16_MAX || output.dims[i] > UINT16_MAX) return Status::kUnsupportedShape;
  }
  window->batches = static_cast<uint16_t>(input.dims[0]);
  window->in_height = static_cast<uint16_t>(input.dims[1]);
  window->in_width = static_cast<uint16_t>(input.dims[2]);
  window->in_channels = static_cast<uint16_t>(input.dims[3]);
  window->out_height = static_cast<uint16_t>(output.dims[1]);
  window->out_width = static_cast<uint16_t>(output.dims[2]);
  window->out_channels = static_cast<uint16_t>(output.dims[3]);
  window->height = static_cast<uint16_t>(options.height);
  window->width = static_cast<uint16_t>(options.width);
  window->stride_height = static_cast<uint16_t>(options.stride_height);
  window->stride_width = static_cast<uint16_t>(options.stride_width);
  window->dilation_height = static_cast<uint16_t>(options.dilation_height);
  window->dilation_width = static_cast<uint16_t>(options.dilation_width);
  KWS_RETURN_IF_ERROR(Fit(options.padding, window->in_height, window->out_height,
                          static_cast<uint32_t>(options.height),
                          static_cast<uint32_t>(options.stride_height),
                          static_cast<uint32_t>(options.dilation_height), &window->pad_top));
  return Fit(options.padding, window->in_width, window->out_width,
             static_cast<uint32_t>(options.width), static_cast<uint32_t>(options.stride_width),
             static_cast<uint32_t>(options.dilation_width), &window->pad_left);
}

PlanEntry::Overlap RowOverlap(const Window& window) {
  if (window.batches != 1) return PlanEntry::Overlap{PlanEntry::kFar, PlanEntry::kFar, false};
  // A time series of height 1: along its width.
  const bool flat = window.in_height == 1 && window.out_height == 1;
  const int rows = flat ? window.out_width : window.out_height;
  const int in_rows = flat ? window.in_width : window.in_height;
  const int stride = flat ? window.stride_width : window.stride_height;
  const int pad = flat ? window.pad_left : window.pad_top;
  const int taps = flat ? window.width : window.height;
  const int dilation = flat ? window.dilation_width : window.dilation_height;
  const int32_t extent = (taps - 1) * dilation + 1;  // below 2^18, as Fit has checked
  // Tensors have at most 2^28 bytes, so rows inside them are counted in 32 bits.
  const int32_t in_row = window.in_channels * (flat ? 1 : window.in_width);
  const int32_t out_row = window.out_channels * (flat ? 1 : window.out_width);

  int32_t forward = 0;
  int32_t backward = 1;  // where both start at the same byte, the kernel works forwards
  for (int32_t row = 0; row < rows; ++row) {
    // Forward, a row's own input rows and all later rows are still needed while it is written;
    // backward, its own and all earlier rows.
    const int32_t origin = row * stride - pad;
    const int32_t first_needed = Clamp(origin, 0, in_rows);
    const int32_t end_needed = Clamp(origin + extent, 0, in_rows);
    const int32_t ahead = (row + 1) * out_row - first_needed * in_row;
    const int32_t behind = end_needed * in_row - row * out_row;
    if (ahead > forward) forward = ahead;
    if (behind > backward) backward = behind;
  }
  return PlanEntry::Overlap{forward, backward, false};
}

TapRange ValidTaps(int origin, int taps, int dilation, int size) {
  if (dilation == 1) return ValidTaps(origin, taps, size);
  TapRange range{0, taps};
  // MakeWindow refuses a dilation of 0.
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  if (origin < 0) range.begin = (-origin + dilation - 1) / dilation;
  const int room = size - origin;
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  if (room < (taps - 1) * dilation + 1) range.end = room <= 0 ? 0 : (room - 1) / dilation + 1;
  if (range.end < range.begin) range.end = range.begin;
  return range;
}

}  // namespace kws
