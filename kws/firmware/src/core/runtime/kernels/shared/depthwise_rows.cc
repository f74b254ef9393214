// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/depthwise_rows.h"

#include <cstring>

#include "runtime/kernels/arm/depthwise_dsp_loops.h"
#include "runtime/kernels/arm/eight_taps.h"
#include "runtime/kernels/arm/three_by_three.h"
#include "runtime/kernels/shared/depthwise_band.h"
#include "runtime/kernels/shared/depthwise_loops.h"

namespace kws {
namespace {

// Input channels that go down the image together: four where each has one output channel, because
// four are widened at once.
int Lanes(const Sides& sides) {
  return sides.multiplier == 1 && sides.channels % kFour == 0 ? kFour : 1;
}

// int16 values of a row of a lane's filter that is laid out; see OddTaps.
int FilterRow(const Sides& sides) { return 4 * sides.Pairs(); }

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
        pairs_(sides.Pairs()),
        filter_size_(FilterRow(sides) * sides.rows.taps),
        band_(sides, lanes_, lanes_ == 1 ? WidenOne : WidenFour, work.input_offset, work.scratch),
        filters_(band_.end()) {
#if KWS_HAVE_DSP
    odd_taps_ = work.outputs.usual() && IsOddTaps(sides);
#endif
  }

  void Run() {
    for (int c = 0; c < channels_; c += lanes_) RunLanes(c);
  }

 private:
  // All outputs of the lanes from input channel `first` on. Not inline: with less at hand the
  // compiler keeps the loops in registers.
  __attribute__((noinline)) void RunLanes(int first) {
    for (int& laid_out : laid_out_) laid_out = -1;
    int8_t* to = work_.output;
    for (int y = 0; y < rows_.out; ++y) {
      const TapRange taps = band_.Take(work_.input + first, y);
      for (int lane = 0; lane < lanes_; ++lane) {
        const int channel = (first + lane) * multiplier_;
        for (int i = 0; i < multiplier_; ++i) {
          // Back and forth, so that the filter at the turn need not be laid out again.
          RunRow(lane, taps, channel + ((y & 1) != 0 ? multiplier_ - 1 - i : i), to);
        }
      }
      to += rows_.out_step;
    }
  }

  // All outputs of one row and one output channel.
  void RunRow(int lane, const TapRange& taps, int channel, int8_t* to) {
    int16_t* filter = filters_ + lane * filter_size_;
    if (laid_out_[lane] != channel) {
      laid_out_[lane] = channel;
      LayOut(work_.filter + channel, filter);
    }
    to += channel;
    const int32_t start = work_.Bias(channel);
    const int16_t* from = band_.Row(taps, lane);
    const int row_count = taps.end - taps.begin;
#if KWS_HAVE_DSP
    if (odd_taps_) {
      OddTaps row;
      row.band = from;
      row.filter = filter + taps.begin * pairs_ * 4;
      row.pairs = pairs_;
      row.next_row = (band_.row_size() - 2 * (pairs_ + 1)) * static_cast<int32_t>(sizeof(int16_t));
      row.rows = row_count;
      row.start = start;
      row.factor = work_.outputs.UsualFactor(channel);
      row.step = columns_.out_step;
      RunOddTaps(row, columns_.out, to);
      return;
    }
#endif
    filter += taps.begin * pairs_ * 2;
    for (int x = 0; x < columns_.out; ++x) {
      *to = work_.outputs.At(channel,
                             SumOfPairs(from, band_.row_size(), filter, pairs_, row_count, start));
      from += columns_.stride;
      to += columns_.out_step;
    }
  }

  // A filter as pairs of taps.
  void LayOut(const int8_t* row, int16_t* to) const {
#if KWS_HAVE_DSP
    if (odd_taps_) {
      for (int y = 0; y < rows_.taps; ++y) {
        PackOddTaps(row, columns_.filter_step, pairs_, to);
        to += 4 * pairs_;
        row += rows_.filter_step;
      }
      return;
    }
#endif
    for (int y = 0; y < rows_.taps; ++y) {
      const int8_t* tap = row;
      std::memset(to, 0, static_cast<size_t>(pairs_) * 2 * sizeof(int16_t));
      for (int x = 0; x < columns_.taps; ++x) {
        to[x * columns_.dilation] = *tap;
        tap += columns_.filter_step;
      }
      to += 2 * pairs_;
      row += rows_.filter_step;
    }
  }

  const DepthwiseRows& work_;
  const Side& rows_;
  const Side& columns_;
  const int channels_;
  const int multiplier_;
  const int lanes_;
  const int pairs_;
  const int filter_size_;
  Band band_;
  int16_t* const filters_;  // one for each lane
  bool odd_taps_ = false;
  int laid_out_[kFour];  // the output channels of these filters
};

}  // namespace

uint32_t DepthwiseRowsScratch(const Sides& sides) {
  constexpr uint64_t kTooMuch = 1u << 30;  // more than any arena
  const uint32_t lanes = static_cast<uint32_t>(Lanes(sides));
  const uint32_t rows = static_cast<uint32_t>(sides.rows.taps) * lanes;
  // int16 values for each row of a lane's window. For eight taps the band needs no whole chunks;
  // where another kernel takes them, its filters are smaller by more than that.
  uint32_t row = static_cast<uint32_t>(sides.RowSize());
  if (IsEightTaps(sides)) {
    row = static_cast<uint32_t>(sides.Covered() + kEightTapsRow);
  } else {
    row += static_cast<uint32_t>(FilterRow(sides));
  }
  const uint64_t values = static_cast<uint64_t>(rows) * row;
  return static_cast<uint32_t>(values < kTooMuch ? values * sizeof(int16_t) : kTooMuch);
}

PlanEntry::Overlap DepthwiseRowsOverlap(const Window& window) {
  PlanEntry::Overlap overlap{PlanEntry::kFar, PlanEntry::kFar, false};
  // With dilation the band takes rows in again.
  const bool again = window.dilation_height > 1 || window.dilation_width > 1;
  if (window.in_channels > 1) {
    // Each channel goes over the whole image: only the very same places are safe.
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
