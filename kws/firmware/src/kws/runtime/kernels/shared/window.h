// SPDX-License-Identifier: Apache-2.0
// Geometry of convolutions and pooling: a window that slides over an NHWC image.
#ifndef KWS_RUNTIME_KERNELS_SHARED_WINDOW_H_
#define KWS_RUNTIME_KERNELS_SHARED_WINDOW_H_

#include <cstdint>

#include "kws/runtime/model/schema.h"
#include "kws/runtime/model/tensor.h"
#include "kws/runtime/planning/memory_planner.h"
#include "kws/status.h"

namespace kws {

// 16 bits each, to save arena.
struct Window {
  uint16_t batches;
  uint16_t in_height;
  uint16_t in_width;
  uint16_t in_channels;
  uint16_t out_height;
  uint16_t out_width;
  uint16_t out_channels;
  uint16_t height;  // of the window, in taps
  uint16_t width;
  uint16_t stride_height;
  uint16_t stride_width;
  uint16_t dilation_height;
  uint16_t dilation_width;
  uint16_t pad_top;  // rows above the image
  uint16_t pad_left;
};

struct WindowOptions {
  Padding padding;
  int32_t height;
  int32_t width;
  int32_t stride_height;
  int32_t stride_width;
  int32_t dilation_height;
  int32_t dilation_width;
};

// kUnsupportedShape if a size does not fit or the output's shape does not match the geometry.
Status MakeWindow(const Tensor& input, const Tensor& output, const WindowOptions& options,
                  Window* window);

// The allowed overlap of output and input for a kernel that computes the output row by row, in
// either direction, and reads the input while it writes a row. No overlap with several batches.
PlanEntry::Overlap RowOverlap(const Window& window);

// The taps [begin, end) inside an image of `size`, of a window of `taps` taps, `dilation` apart,
// that starts at `origin`.
struct TapRange {
  int begin;
  int end;
};
TapRange ValidTaps(int origin, int taps, int dilation, int size);

// The same without dilation.
inline TapRange ValidTaps(int origin, int taps, int size) {
  TapRange range{0, taps};
  if (origin < 0) range.begin = -origin;
  if (origin + taps > size) range.end = size - origin;
  if (range.end < range.begin) range.end = range.begin;
  return range;
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_WINDOW_H_
