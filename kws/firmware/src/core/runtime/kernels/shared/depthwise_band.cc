// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/depthwise_band.h"

#include <cstring>

namespace kws {

Band::Band(const Sides& sides, int lanes, WidenRow widen, int32_t offset, int16_t* values)
    : rows_(sides.rows),
      columns_(sides.columns),
      lane_size_(sides.RowSize()),
      row_size_(lanes * lane_size_),
      widen_(widen),
      offset_(offset),
      values_(values) {
  // Once for all channels: what is outside the image stays zero.
  std::memset(values_, 0, static_cast<size_t>(rows_.taps * row_size_) * sizeof(int16_t));
}

TapRange Band::Take(const int8_t* input, int y) {
  const int origin = y * rows_.stride - rows_.pad;
  const TapRange taps = ValidTaps(origin, rows_.taps, rows_.dilation, rows_.in);
  int slot = 0;
  if (y > 0 && rows_.dilation == 1 && rows_.stride < rows_.taps) {
    // Rows that were taken move up.
    slot = rows_.taps - rows_.stride;
    MoveChunks(values_ + rows_.stride * row_size_, slot * row_size_ / kChunk, values_);
  }
  // The stride may leave columns over at the end.
  const int room = lane_size_ - columns_.pad;
  const int count = room < columns_.in ? room : columns_.in;
  for (; slot < rows_.taps; ++slot) {
    int16_t* to = values_ + slot * row_size_;
    if (slot < taps.begin || slot >= taps.end) {
      std::memset(to, 0, static_cast<size_t>(row_size_) * sizeof(int16_t));
      continue;
    }
    const int8_t* from = input + (origin + slot * rows_.dilation) * rows_.in_step;
    widen_(from, columns_.in_step, count, offset_, to + columns_.pad, lane_size_);
  }
  // Rows that are far apart may all be outside the image. One of zeros gives the same.
  return taps.begin < taps.end ? taps : TapRange{0, 1};
}

}  // namespace kws
