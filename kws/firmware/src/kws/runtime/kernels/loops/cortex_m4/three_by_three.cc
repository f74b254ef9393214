// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/three_by_three.h"

#include <cstring>

#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/loops/cortex_m4/three_by_three_loops.h"
#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/loops/mve/depthwise_mve_loops.h"
#include "kws/runtime/kernels/loops/processor.h"

namespace kws {
namespace {

// Input channels in the buffer.
int Lanes(const Sides& sides) { return sides.channels % kFour == 0 ? kFour : 1; }

// int16 values of a lane, including values that the last pass reads but does not use.
int LaneValues(const Sides& sides) {
  const int out = sides.columns.out;
  return sides.columns.stride == 2 ? 2 * out + 2 : (out + 4) & ~1;
}

int RowValues(const Sides& sides) { return Lanes(sides) * LaneValues(sides); }

// Rows of the image under `rows` rows of outputs.
int Covered(const Sides& sides, int rows) {
  return (rows - 1) * sides.rows.stride + sides.rows.taps;
}

// Rows of outputs at a time: the buffer takes about 2 kB.
int RowsAtOnce(const Sides& sides) {
  constexpr int kValues = 1024;
  const int room = kValues / RowValues(sides) - sides.rows.taps;
  const int rows = room < 0 ? 1 : room / sides.rows.stride + 1;
  return rows < sides.rows.out ? rows : sides.rows.out;
}

}  // namespace

uint32_t ThreeByThreeScratch(const Sides& sides) {
  return kFour * sizeof(ThreeByThree) +
         static_cast<uint32_t>(Covered(sides, RowsAtOnce(sides)) * RowValues(sides)) *
             static_cast<uint32_t>(sizeof(int16_t));
}

#if KWS_HAVE_DSP
namespace {

// Four channels with a 3x3 filter each, or (`kAll`) any window of three taps.
template <bool kAll>
class Image {
 public:
  Image(const DepthwiseRows& work, const Sides& sides, ThreeByThreeLoop loop)
      : work_(work),
        sides_(sides),
        rows_(sides.rows),
        columns_(sides.columns),
        lanes_(kAll ? Lanes(sides) : kFour),
        lane_values_(LaneValues(sides)),
        row_values_(lanes_ * lane_values_),
        rows_at_once_(RowsAtOnce(sides)),
        loop_(loop),
        filters_(reinterpret_cast<ThreeByThree*>(work.scratch)),
        buffer_(reinterpret_cast<int16_t*>(filters_ + kFour)) {
    // Padding beside the image stays zero.
    std::memset(buffer_, 0,
                static_cast<size_t>(Covered(sides, rows_at_once_) * row_values_) * sizeof(int16_t));
    const int count = columns_.out;
    const bool five = count % 4 == 1;
    for (int c = 0; c < kFour; ++c) {
      ThreeByThree& filter = filters_[c];
      filter.step = columns_.out_step;
      filter.minus_fours = -(count / 4 - five);
      filter.rest = five ? -1 : -count & 3;
      filter.next_row = 2 * (rows_.stride * row_values_ - columns_.stride * (count - five));
      filter.next_output = rows_.out_step - count * columns_.out_step;
      filter.lane = c * lane_values_;
    }
  }

  void Run() {
    for (int first = 0; first < sides_.channels; first += lanes_) RunLanes(first);
  }

 private:
  int Taps() const { return kAll ? rows_.taps : 3; }

  // All outputs of the lanes that start at input channel `first`.
  void RunLanes(int first) {
    int8_t* to = work_.output + (kAll ? first * sides_.multiplier : first);
    int kept = 0;  // loaded rows that the next outputs need
    if (!kAll) {
      PackThreeByThree(work_.filter + first, rows_.filter_step, columns_.filter_step, filters_);
      for (int c = 0; c < kFour; ++c) SetOutput(filters_[c], first + c);
    }
    for (int y = 0; y < rows_.out; y += rows_at_once_) {
      const int left = rows_.out - y;
      const int now = left < rows_at_once_ ? left : rows_at_once_;
      Take(work_.input + first, y * rows_.stride - rows_.pad, kept,
           (now - 1) * rows_.stride + Taps());
      ThreeByThreeRows buffer{buffer_, row_values_, now * rows_.stride * row_values_, kFour};
      if (kAll) {
        RunFilters(first, buffer, to);
      } else {
        loop_(filters_, buffer, to);
      }
      to += now * rows_.out_step;
      kept = Taps() - rows_.stride;
      if (kept < 0) kept = 0;
      if (now < left) {
        CopyForward(reinterpret_cast<uint8_t*>(buffer_),
                    reinterpret_cast<const uint8_t*>(buffer_ + now * rows_.stride * row_values_),
                    2 * kept * row_values_);
      }
    }
  }

  // All filters of these lanes over the buffer.
  void RunFilters(int first, ThreeByThreeRows& buffer, int8_t* to) {
    const int count = lanes_ * sides_.multiplier;
    const int channel = first * sides_.multiplier;
    for (int done = 0; done < count; done += kFour) {
      buffer.channels = count - done < kFour ? count - done : kFour;
      for (int c = 0; c < buffer.channels; ++c) {
        const int output = channel + done + c;
        PackThreeTaps(work_.filter + output * sides_.FilterStep(), rows_.taps, rows_.filter_step,
                      columns_.filter_step, &filters_[c]);
        SetOutput(filters_[c], output);
        filters_[c].lane = (done + c) / sides_.multiplier * lane_values_;
      }
      loop_(filters_, buffer, to + done);
    }
  }

  void SetOutput(ThreeByThree& filter, int channel) const {
    const Outputs::Factor factor = work_.outputs.FastFactor(channel);
    filter.start = work_.Bias(channel);
    filter.multiplier = factor.multiplier;
    filter.bias = factor.bias;
    filter.right = factor.right;
  }

  // Loads rows `origin + kept` to `origin + count - 1` of the image; rows outside it are zero.
  void Take(const int8_t* input, int origin, int kept, int count) {
    const int begin = origin + kept < 0 ? -origin : kept;
    int end = rows_.in - origin < count ? rows_.in - origin : count;
    if (end < begin) end = begin;
    Clear(kept, begin);
    Clear(end, count);
    if (begin == end) return;
    const int8_t* from = input + (origin + begin) * rows_.in_step;
    int16_t* to = buffer_ + begin * row_values_ + columns_.pad;
    if (kAll && lanes_ == 1) {
      for (int row = begin; row < end; ++row) {
        WidenOne(from, columns_.in_step, columns_.in, work_.input_offset, to, 0);
        from += rows_.in_step;
        to += row_values_;
      }
      return;
    }
    const FourRows rows{end - begin, rows_.in_step, columns_.in, columns_.in_step, lane_values_};
    WidenFourRows(from, rows, work_.input_offset, to);
  }

  void Clear(int begin, int end) {
    if (begin < end) {
      std::memset(buffer_ + begin * row_values_, 0,
                  static_cast<size_t>((end - begin) * row_values_) * sizeof(int16_t));
    }
  }

  const DepthwiseRows& work_;
  const Sides& sides_;
  const Side& rows_;
  const Side& columns_;
  const int lanes_;
  const int lane_values_;
  const int row_values_;
  const int rows_at_once_;
  const ThreeByThreeLoop loop_;
  ThreeByThree* const filters_;
  int16_t* const buffer_;
};

}  // namespace

void RunThreeByThree(const DepthwiseRows& work, const Sides& sides, ThreeByThreeLoop loop) {
#if KWS_HAVE_MVE
  if (mve::RunThreeByThree(work, sides, ThreeByThreeScratch(sides))) return;
#endif
  Image<false>(work, sides, loop).Run();
}

void RunThreeTaps(const DepthwiseRows& work, const Sides& sides) {
  const bool row = sides.rows.taps == 1;
  ThreeByThreeLoop loop = row ? RunThreeTapsRow : RunThreeByThreeRows;
  if (sides.columns.stride == 2) loop = row ? RunThreeTapsEveryOther : RunThreeByThreeEveryOther;
  Image<true>(work, sides, loop).Run();
}

#endif  // KWS_HAVE_DSP

}  // namespace kws
