// SPDX-License-Identifier: Apache-2.0
// Line buffer of a depthwise convolution: the image rows under the window, widened to int16, with
// padding.
//
// A buffer row holds the values of neighbouring channels ("lanes"), one lane after the other. With
// two phases, a buffer row holds the even columns of an image row, counted with its padding, and
// the next buffer row the odd columns. An output row may overwrite input rows that are in the
// buffer. Without dilation each image row is widened once.
#ifndef KWS_RUNTIME_KERNELS_SHARED_LINE_BUFFER_H_
#define KWS_RUNTIME_KERNELS_SHARED_LINE_BUFFER_H_

#include <cstdint>

#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/shared/image_sides.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {

class LineBuffer {
 public:
  // `widen` widens a row of all lanes. `offset`: minus the zero point. `lane_size`: int16 values of
  // a lane, a multiple of kChunk. `values`: the buffer's memory, up to end().
  LineBuffer(const Sides& sides, int lanes, int phases, int lane_size, WidenRow widen,
             int32_t offset, int16_t* values);

  int16_t* end() const { return values_ + rows_.taps * taken_size_; }

  // Loads the image rows of output row `y`; call it for each output row in order. `input`: the
  // first lane's image. Returns the rows of the window inside the image, at least one.
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
  const int taken_size_;  // int16 values of an image row's buffer rows
  const WidenRow widen_;
  const int32_t offset_;
  int16_t* const values_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_LINE_BUFFER_H_
