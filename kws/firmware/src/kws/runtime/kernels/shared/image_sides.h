// SPDX-License-Identifier: Apache-2.0
// Geometry of a convolution in which an output channel depends on one input channel, along the rows
// and along the columns of the image.
#ifndef KWS_RUNTIME_KERNELS_SHARED_IMAGE_SIDES_H_
#define KWS_RUNTIME_KERNELS_SHARED_IMAGE_SIDES_H_

#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {

// The window along one side of the image.
struct Side {
  int in;
  int out;
  int taps;
  int stride;
  int dilation;
  int pad;
  int in_step;  // bytes between values of a channel
  int out_step;
  int filter_step;
};

// Kernels work along rows. A tall image is transposed, for fewer and longer rows; a window of one
// row or one column is processed along it. A few rows of five outputs are not transposed, because
// loops/cortex_m4/three_by_three.h computes five outputs at once. A single channel is not
// transposed, so that its output, computed in order, may overwrite it.
struct Sides {
  Side rows;
  Side columns;
  int channels;    // of the input
  int multiplier;  // output channels per input channel

  explicit Sides(const Window& w)
      : rows{w.in_height,
             w.out_height,
             w.height,
             w.stride_height,
             w.dilation_height,
             w.pad_top,
             w.in_width * w.in_channels,
             w.out_width * w.out_channels,
             w.width * w.out_channels},
        columns{w.in_width, w.out_width,   w.width,        w.stride_width, w.dilation_width,
                w.pad_left, w.in_channels, w.out_channels, w.out_channels},
        channels(w.in_channels),
        multiplier(w.out_channels / w.in_channels) {
    const int down = w.height > 1 ? w.out_height : 0;
    const int across = w.width > 1 ? w.out_width : 0;
    if (w.in_channels > 1 && down > across && !(across == 5 && down < 8)) {
      const Side side = rows;
      rows = columns;
      columns = side;
    }
  }

  // Bytes between filters. If a filter's taps are consecutive, as in CONV_2D, so are the filters.
  int FilterStep() const { return columns.filter_step == 1 ? rows.taps * columns.taps : 1; }

  // Pairs of taps per row. Between dilated taps, and after an odd number of taps, the weight is 0.
  int Pairs() const { return ((columns.taps - 1) * columns.dilation + 2) / 2; }
  // int16 values up to the end of a row's last window.
  int Covered() const { return (columns.out - 1) * columns.stride + 2 * Pairs(); }
  // The same, rounded up to chunks.
  int RowSize() const { return (Covered() + kChunk - 1) / kChunk * kChunk; }
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_IMAGE_SIDES_H_
