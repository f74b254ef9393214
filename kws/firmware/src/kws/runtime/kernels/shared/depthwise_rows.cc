// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/depthwise_rows.h"

#include <cstring>

#include "kws/runtime/kernels/loops/depthwise_taps.h"
#include "kws/runtime/kernels/loops/four_dots.h"
#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/line_buffer.h"

namespace kws {
namespace {

// Input channels in the line buffer together: four if each has one output channel, because four are
// widened at once.
int Lanes(const Sides& sides) {
  return sides.multiplier == 1 && sides.channels % kFour == 0 ? kFour : 1;
}

int Chunks(int values) { return (values + kChunk - 1) / kChunk * kChunk; }

// Sizes per buffer row, in int16 values.
struct RowLayout {
  int phases;  // buffer rows per image row
  int pairs;   // pairs of taps
  int filter;
  int size;
};

RowLayout AnyWindow(const Sides& sides) {
  return RowLayout{1, sides.Pairs(), 2 * sides.Pairs(), sides.RowSize()};
}

// See RowTaps. With stride 2, the first phase has at least as many taps as the second.
RowLayout ForRowTaps(const Sides& sides) {
  const int phases = sides.columns.stride;
  const int pairs = RowPairs((sides.columns.taps + phases - 1) / phases);
  return RowLayout{phases, pairs, 4 * pairs,
                   Chunks(sides.columns.out - kRowOutputs + RowValues(pairs))};
}

// One filter at a time over windows of any shape.
class Filters {
 public:
  Filters(const DepthwiseRows& work, const Sides& sides)
      : work_(work),
        rows_(sides.rows),
        columns_(sides.columns),
        channels_(sides.channels),
        multiplier_(sides.multiplier),
        lanes_(Lanes(sides)),
        row_taps_(work.outputs.fast_requantize() && IsRowTaps(sides)),
        layout_(row_taps_ ? ForRowTaps(sides) : AnyWindow(sides)),
        filter_size_(layout_.phases * layout_.filter * sides.rows.taps),
        buffer_(sides, lanes_, layout_.phases, layout_.size, lanes_ == 1 ? WidenOne : WidenFour,
                work.input_offset, work.scratch),
        filters_(buffer_.end()) {
    if (kHaveDsp) {
      row_ = RowTaps(columns_.out, columns_.out_step, layout_.pairs, buffer_.row_size());
    }
  }

  void Run() {
    for (int c = 0; c < channels_; c += lanes_) RunLanes(c);
  }

 private:
  // All outputs of the lanes that start at input channel `first`. Not inline, so that the compiler
  // keeps the loops in registers.
  __attribute__((noinline)) void RunLanes(int first) {
    for (int& laid_out : laid_out_) laid_out = -1;
    if (row_taps_ && lanes_ == kFour) {
      LayOut(work_.filter + first, filters_);
      for (int lane = 0; lane < kFour; ++lane) laid_out_[lane] = first + lane;
    }
    int8_t* to = work_.output;
    for (int y = 0; y < rows_.out; ++y) {
      const TapRange taps = buffer_.Take(work_.input + first, y);
      for (int lane = 0; lane < lanes_; ++lane) {
        const int channel = (first + lane) * multiplier_;
        for (int i = 0; i < multiplier_; ++i) {
          // Alternating direction, so that the last filter of a row is reused for the next row.
          RunRow(lane, taps, channel + ((y & 1) != 0 ? multiplier_ - 1 - i : i), to);
        }
      }
      to += rows_.out_step;
    }
  }

  // The outputs of one row and one output channel.
  void RunRow(int lane, const TapRange& taps, int channel, int8_t* to) {
    int16_t* filter = filters_ + lane * filter_size_;
    if (laid_out_[lane] != channel) {
      laid_out_[lane] = channel;
      LayOut(work_.filter + channel, filter);
    }
    to += channel;
    const int32_t start = work_.Bias(channel);
    const int16_t* from = buffer_.Row(taps, lane);
    const int row_count = taps.end - taps.begin;
    filter += taps.begin * layout_.phases * layout_.filter;
    if (kHaveDsp && row_taps_) {
      row_.start = start;
      row_.factor = work_.outputs.FastFactor(channel);
      RunRowTaps(row_, from, filter, layout_.phases * row_count, to);
      return;
    }
    int x = 0;
    const FourDots shape{columns_.stride, layout_.filter, row_count, buffer_.row_size()};
    constexpr int kMost = 8 * kFourDots;
    while (!kHaveDsp && x + kFourDots <= columns_.out) {
      const int left = columns_.out - x;
      const int count = left < kMost ? left / kFourDots * kFourDots : kMost;
      int32_t sums[kMost];
      for (int i = 0; i < count; ++i) sums[i] = start;
      for (int i = 0; i < count; i += kFourDots) {
        AddFourDots(shape, filter, from + (x + i) * columns_.stride, sums + i);
      }
      work_.outputs.WriteChannel(channel, sums, count, to + x * columns_.out_step,
                                 columns_.out_step);
      x += count;
      // The last four may include outputs that are computed again.
      if (x < columns_.out && columns_.out - x < kFourDots) x = columns_.out - kFourDots;
    }
    for (; x < columns_.out; ++x) {
      to[x * columns_.out_step] =
          work_.outputs.At(channel, SumOfPairs(from + x * columns_.stride, buffer_.row_size(),
                                               filter, layout_.pairs, row_count, start));
    }
  }

  // Packs a filter as pairs of taps; for RunRowTaps, the filters of four lanes at once.
  void LayOut(const int8_t* row, int16_t* to) const {
    if (kHaveDsp && row_taps_) {
      const int step = layout_.phases * columns_.filter_step;
      for (int y = 0; y < rows_.taps; ++y) {
        for (int phase = 0; phase < layout_.phases; ++phase) {
          const int8_t* from = row + phase * columns_.filter_step;
          const int taps = (columns_.taps - phase + layout_.phases - 1) >> (layout_.phases - 1);
          if (lanes_ == kFour) {
            PackFourRowTaps(from, step, taps, layout_.pairs, filter_size_, to);
          } else {
            PackRowTaps(from, step, taps, layout_.pairs, to);
          }
          to += layout_.filter;
        }
        row += rows_.filter_step;
      }
      return;
    }
    for (int y = 0; y < rows_.taps; ++y) {
      if (!kHaveDsp && columns_.dilation == 1) {
        to[layout_.filter - 1] = 0;
        WidenOne(row, columns_.filter_step, columns_.taps, 0, to, 0);
        to += layout_.filter;
        row += rows_.filter_step;
        continue;
      }
      const int8_t* tap = row;
      std::memset(to, 0, static_cast<size_t>(layout_.filter) * sizeof(int16_t));
      for (int x = 0; x < columns_.taps; ++x) {
        to[x * columns_.dilation] = *tap;
        tap += columns_.filter_step;
      }
      to += layout_.filter;
      row += rows_.filter_step;
    }
  }

  const DepthwiseRows& work_;
  const Side& rows_;
  const Side& columns_;
  const int channels_;
  const int multiplier_;
  const int lanes_;
  const bool row_taps_;
  const RowLayout layout_;
  const int filter_size_;
  LineBuffer buffer_;
  int16_t* const filters_;  // one per lane
  RowTaps row_;             // if kHaveDsp
  int laid_out_[kFour];     // output channels of these filters
};

}  // namespace

uint32_t DepthwiseRowsScratch(const Sides& sides) {
  constexpr uint64_t kTooMuch = 1u << 30;  // more than any arena
  // Additional int16 values of ForRowTaps: one more pair of taps and rounding up to chunks; with
  // stride 2 for both phases.
  constexpr int kEvenTaps = 12;
  constexpr int kTwoPhases = 26;
  const Side& columns = sides.columns;
  const uint32_t rows = static_cast<uint32_t>(sides.rows.taps * Lanes(sides));
  int row = sides.RowSize() + 4 * sides.Pairs();
  if (IsEightTaps(sides)) {
    // Not rounded up to chunks: if another kernel rounds up, its filters are smaller by more.
    row = sides.Covered() + kEightTapsRow;
  } else if (columns.stride == 2) {
    if (Lanes(sides) == 1) row += kTwoPhases;
  } else if (columns.taps % 2 == 0) {
    row += kEvenTaps;
  }
  const uint64_t values = static_cast<uint64_t>(rows) * static_cast<uint32_t>(row);
  return static_cast<uint32_t>(values < kTooMuch ? values * sizeof(int16_t) : kTooMuch);
}

PlanEntry::Overlap DepthwiseRowsOverlap(const Window& window) {
  PlanEntry::Overlap overlap{PlanEntry::kFar, PlanEntry::kFar, false};
  // With dilation, the line buffer loads rows again.
  const bool again = window.dilation_height > 1 || window.dilation_width > 1;
  if (window.in_channels > 1) {
    // Each channel is a pass over the whole image: only identical positions are safe.
    overlap.in_place = !again && window.in_channels == window.out_channels &&
                       window.in_height == window.out_height && window.in_width == window.out_width;
    return overlap;
  }
  if (again || window.batches != 1) return overlap;
  // Tensors have less than 2^28 bytes. Windows may lie outside the image, hence the limits.
  int32_t forward = 0;
  for (int32_t row = 0; row < window.out_height; ++row) {
    int32_t taken = row * window.stride_height - window.pad_top + window.height;
    if (taken > window.in_height) taken = window.in_height;
    if (taken < 0) taken = 0;
    const int32_t ahead = (row + 1) * window.out_width * window.out_channels -
                          taken * static_cast<int32_t>(window.in_width);
    if (ahead > forward) forward = ahead;
  }
  overlap.forward = forward;
  return overlap;
}

void RunDepthwiseRows(const DepthwiseRows& work, const Sides& sides) { Filters(work, sides).Run(); }

}  // namespace kws
