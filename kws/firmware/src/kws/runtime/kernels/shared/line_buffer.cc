// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/line_buffer.h"

#include <cstring>

namespace kws {

LineBuffer::LineBuffer(const Sides& sides, int lanes, int phases, int lane_size, WidenRow widen,
                       int32_t offset, int16_t* values)
    : rows_(sides.rows),
      columns_(sides.columns),
      phases_(phases),
      lane_size_(lane_size),
      row_size_(lanes * lane_size),
      taken_size_(phases * row_size_),
      widen_(widen),
      offset_(offset),
      values_(values) {
  // Once for all channels: padding stays zero.
  std::memset(values_, 0, static_cast<size_t>(rows_.taps * taken_size_) * sizeof(int16_t));
}

TapRange LineBuffer::Take(const int8_t* input, int y) {
  const int origin = y * rows_.stride - rows_.pad;
  const TapRange taps = ValidTaps(origin, rows_.taps, rows_.dilation, rows_.in);
  int slot = 0;
  if (y > 0 && rows_.dilation == 1 && rows_.stride < rows_.taps) {
    // Reuse loaded rows.
    slot = rows_.taps - rows_.stride;
    MoveChunks(values_ + rows_.stride * taken_size_, slot * taken_size_ / kChunk, values_);
  }
  for (; slot < rows_.taps; ++slot) {
    int16_t* to = values_ + slot * taken_size_;
    if (slot < taps.begin || slot >= taps.end) {
      std::memset(to, 0, static_cast<size_t>(taken_size_) * sizeof(int16_t));
      continue;
    }
    Widen(input + (origin + slot * rows_.dilation) * rows_.in_step, to);
  }
  // All rows of a dilated window may be outside the image: then use a row of zeros.
  return taps.begin < taps.end ? taps : TapRange{0, 1};
}

void LineBuffer::Widen(const int8_t* row, int16_t* to) const {
  for (int phase = 0; phase < phases_; ++phase) {
    // The first column of this phase, and its position in the lane.
    const int first = phases_ == 1 ? 0 : (columns_.pad + phase) & 1;
    const int place = phases_ == 1 ? columns_.pad : (columns_.pad + first - phase) / 2;
    const int columns = phases_ == 1 ? columns_.in : (columns_.in - first + 1) / 2;
    // With a stride, the last columns may be unused.
    const int room = lane_size_ - place;
    widen_(row + first * columns_.in_step, phases_ * columns_.in_step,
           room < columns ? room : columns, offset_, to + place, lane_size_);
    to += row_size_;
  }
}

}  // namespace kws
