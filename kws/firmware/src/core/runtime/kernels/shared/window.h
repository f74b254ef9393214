// SPDX-License-Identifier: Apache-2.0
// The geometry that convolutions and pooling share: a window that slides over an NHWC image.
#ifndef KWS_RUNTIME_KERNELS_SHARED_WINDOW_H_
#define KWS_RUNTIME_KERNELS_SHARED_WINDOW_H_

#include <cstdint>

#include "runtime/model/schema.h"
#include "runtime/model/tensor.h"
#include "runtime/planning/memory_planner.h"
#include "status.h"

namespace kws {

// Kept in the arena, hence 16 bits each.
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
  uint16_t pad_top;  // rows and columns outside the image before its first
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

// kUnsupportedShape where a size does not fit or the output's shape is not the one that follows.
Status MakeWindow(const Tensor& input, const Tensor& output, const WindowOptions& options,
                  Window* window);

// How far the output may run over the input for a kernel that makes the output row by row, each
// row reading the input while it is written, in either direction. For one batch; else the output
// has to stay away.
PlanEntry::Overlap RowOverlap(const Window& window);

// Taps [begin, end) of a window of `taps` taps whose first lies at `origin` that fall into an image
// of `size`, `dilation` apart.
struct TapRange {
  int begin;
  int end;
};
TapRange ValidTaps(int origin, int taps, int dilation, int size);

// The same without dilation, for kernels that have none.
inline TapRange ValidTaps(int origin, int taps, int size) {
  TapRange range{0, taps};
  if (origin < 0) range.begin = -origin;
  if (origin + taps > size) range.end = size - origin;
  if (range.end < range.begin) range.end = range.begin;
  return range;
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_WINDOW_H_
