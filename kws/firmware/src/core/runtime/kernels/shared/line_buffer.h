// SPDX-License-Identifier: Apache-2.0
// The rows of the image that a depthwise convolution's window lies on, widened to int16 with their
// padding.
//
// A buffer row holds the values of neighbouring channels ("lanes"), each channel's for itself. With
// two phases the even columns of an image's row, counted with its padding, are a buffer row, and
// the odd ones the next. An output row may overwrite input rows that the buffer has taken in, and
// needs no others: without dilation each is widened once.
#ifndef KWS_RUNTIME_KERNELS_SHARED_LINE_BUFFER_H_
#define KWS_RUNTIME_KERNELS_SHARED_LINE_BUFFER_H_

#include <cstdint>

#include "runtime/kernels/shared/depthwise_loops.h"
#include "runtime/kernels/shared/image_sides.h"
#include "runtime/kernels/shared/window.h"

namespace kws {

class LineBuffer {
 public:
  // `widen` widens a row of all lanes; `offset` is minus the zero point. A lane of a buffer row is
  // `lane_size` int16 values, whole chunks. `values` is the buffer's memory, which ends before
  // `end`.
  LineBuffer(const Sides& sides, int lanes, int phases, int lane_size, WidenRow widen,
             int32_t offset, int16_t* values);

  int16_t* end() const { return values_ + rows_.taps * taken_size_; }

  // Takes what output row `y` needs, the rows before it having been taken. `input` is the first
  // lane's image. Returns the rows of the window that matter, at least one.
  TapRange Take(const int8_t* input, int y);

  // The first of these rows.
  const int16_t* Row(const TapRange& taps, int lane) const {
    return values_ + taps.begin * taken_size_ + lane * lane_size_;
  }
  // int16 values from row to row.
  int row_size() const { return row_size_; }

 private:
  void Widen(const int8_t* row, int16_t* to) const;

  const Side& rows_;
  const Side& columns_;
  const int phases_;
  const int lane_size_;
  const int row_size_;
  const int taken_size_;  // of the buffer rows of one row of the image
  const WidenRow widen_;
  const int32_t offset_;
  int16_t* const values_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_LINE_BUFFER_H_
