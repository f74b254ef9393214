#include "runtime/kernels/window.h"

namespace kws {
namespace {

// One direction: the output's size that TensorFlow's padding rule gives, and the padding before.
Status Fit(Padding padding, int32_t in, int32_t taps, int32_t stride, int32_t dilation, int32_t out,
           uint16_t* pad) {
  if (taps < 1 || stride < 1 || dilation < 1 || taps > UINT16_MAX || stride > UINT16_MAX ||
      dilation > UINT16_MAX) {
    return Status::kUnsupportedShape;
  }
  const int64_t extent = static_cast<int64_t>(taps - 1) * dilation + 1;
  const int64_t expected = padding == Padding::kSame
                               ? (static_cast<int64_t>(in) + stride - 1) / stride
                               : (static_cast<int64_t>(in) + stride - extent) / stride;
  if (expected != out) return Status::kUnsupportedShape;
  const int64_t missing = (expected - 1) * stride + extent - in;
  const int64_t before = missing > 0 ? missing / 2 : 0;
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
  KWS_RETURN_IF_ERROR(Fit(options.padding, input.dims[1], options.height, options.stride_height,
                          options.dilation_height, output.dims[1], &window->pad_top));
  KWS_RETURN_IF_ERROR(Fit(options.padding, input.dims[2], options.width, options.stride_width,
                          options.dilation_width, output.dims[2], &window->pad_left));
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
  return Status::kOk;
}

PlanEntry::Overlap RowOverlap(const Window& window) {
  // A time series of height 1 is walked along its width.
  const bool flat = window.in_height == 1 && window.out_height == 1;
  const int rows = flat ? window.out_width : window.out_height;
  const int in_rows = flat ? window.in_width : window.in_height;
  const int stride = flat ? window.stride_width : window.stride_height;
  const int pad = flat ? window.pad_left : window.pad_top;
  const int64_t extent = flat
                             ? static_cast<int64_t>(window.width - 1) * window.dilation_width + 1
                             : static_cast<int64_t>(window.height - 1) * window.dilation_height + 1;
  const int64_t in_row = static_cast<int64_t>(window.in_channels) * (flat ? 1 : window.in_width);
  const int64_t out_row = static_cast<int64_t>(window.out_channels) * (flat ? 1 : window.out_width);

  int64_t forward = window.batches == 1 ? 0 : INT32_MAX;
  int64_t backward = forward + 1;  // where both start at the same byte, the kernel works forwards
  for (int64_t row = 0; row < rows; ++row) {
    // Forward, while a row is written, its own input rows and all behind them are still needed;
    // backward, its own and all before them.
    int64_t first_needed = row * stride - pad;
    int64_t end_needed = first_needed + extent;
    if (first_needed < 0) first_needed = 0;
    if (first_needed > in_rows) first_needed = in_rows;
    if (end_needed < 0) end_needed = 0;
    if (end_needed > in_rows) end_needed = in_rows;
    const int64_t ahead = (row + 1) * out_row - first_needed * in_row;
    const int64_t behind = end_needed * in_row - row * out_row;
    if (ahead > forward) forward = ahead;
    if (behind > backward) backward = behind;
  }
  return PlanEntry::Overlap{
      static_cast<int32_t>(forward < PlanEntry::kFar ? forward : PlanEntry::kFar),
      static_cast<int32_t>(backward < PlanEntry::kFar ? backward : PlanEntry::kFar), false};
}

}  // namespace kws
