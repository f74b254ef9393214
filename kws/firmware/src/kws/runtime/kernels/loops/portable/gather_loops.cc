// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kws/runtime/kernels/loops/gather.h"

namespace kws {
void GatherWindow(const Window& window, int depth, int8_t zero, const int8_t* image, int y, int x,
                  int8_t* to) {
  const int row_taps = window.width * depth;
  const int origin_y = y * window.stride_height - window.pad_top;
  const int origin_x = x * window.stride_width - window.pad_left;
  const TapRange columns =
      ValidTaps(origin_x, window.width, window.dilation_width, window.in_width);
  const TapRange rows =
      ValidTaps(origin_y, window.height, window.dilation_height, window.in_height);
  const int taps = columns.end - columns.begin;
  int row = rows.end - rows.begin;
  if (taps < window.width || row < window.height) {
    std::memset(to, zero, static_cast<size_t>(window.height) * static_cast<size_t>(row_taps));
    to += rows.begin * row_taps + columns.begin * depth;
  }
  const int step = window.dilation_width * window.in_channels;
  const int row_step = window.dilation_height * window.in_width * window.in_channels;
  const int8_t* from =
      image +
      ((origin_y + rows.begin * window.dilation_height) * window.in_width + origin_x) *
          window.in_channels +
      columns.begin * step;
  // Contiguous runs are short, so a call of memcpy would cost more.
  const int runs = step == depth ? 1 : taps;
  const int run = step == depth ? taps * depth : depth;
  for (; row > 0; --row) {
    const int8_t* source = from;
    int8_t* target = to;
    for (int i = runs; i > 0; --i) {
      for (int word = run >> 2; word > 0; --word) {
        std::memcpy(target, source, 4);
        target += 4;
        source += 4;
      }
      for (int byte = run & 3; byte > 0; --byte) *target++ = *source++;
      source += step - run;
    }
    from += row_step;
    to += row_taps;
  }
}

}  // namespace kws
