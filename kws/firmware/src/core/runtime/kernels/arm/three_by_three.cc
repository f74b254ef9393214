// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/arm/three_by_three.h"

#include <cstring>

#include "runtime/kernels/arm/three_by_three_loops.h"
#include "runtime/kernels/shared/depthwise_loops.h"
#include "runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

// Of a row in memory: four channels, each with what the last pass reads.
int RowValues(const Sides& sides) {
  const int out = sides.columns.out;
  return kFour * (sides.columns.stride == 2 ? 2 * out + 2 : (out + 4) & ~1);
}

// Rows of the image under `rows` rows of outputs.
int Covered(const Sides& sides, int rows) { return (rows - 1) * sides.rows.stride + 3; }

// Rows of outputs at a time: as many as take about 2 kB.
int RowsAtOnce(const Sides& sides) {
  constexpr int kValues = 1024;
  const int rows = (kValues / RowValues(sides) - 3) / sides.rows.stride + 1;
  return rows < 1 ? 1 : rows < sides.rows.out ? rows : sides.rows.out;
}

}  // namespace

uint32_t ThreeByThreeScratch(const Sides& sides) {
  return kFour * sizeof(ThreeByThree) +
         static_cast<uint32_t>(Covered(sides, RowsAtOnce(sides)) * RowValues(sides)) *
             static_cast<uint32_t>(sizeof(int16_t));
}

#if KWS_HAVE_DSP
namespace {

class Image {
 public:
  Image(const DepthwiseRows& work, const Sides& sides)
      : work_(work),
        rows_(sides.rows),
        columns_(sides.columns),
        row_values_(RowValues(sides)),
        rows_at_once_(RowsAtOnce(sides)),
        filters_(reinterpret_cast<ThreeByThree*>(work.scratch)),
        band_(reinterpret_cast<int16_t*>(filters_ + kFour)) {
    // What is beside the image stays zero.
    std::memset(band_, 0,
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
    }
  }

  // Four channels from `first` on.
  void Run(int first, ThreeByThreeLoop loop) {
    PackThreeByThree(work_.filter + first, rows_.filter_step, columns_.filter_step, filters_);
    for (int c = 0; c < kFour; ++c) {
      const Outputs::Factor factor = work_.outputs.UsualFactor(first + c);
      filters_[c].start = work_.Bias(first + c);
      filters_[c].multiplier = factor.multiplier;
      filters_[c].bias = factor.bias;
      filters_[c].right = factor.right;
    }
    int8_t* to = work_.output + first;
    int kept = 0;  // rows in memory that the next outputs need, too
    for (int y = 0; y < rows_.out; y += rows_at_once_) {
      const int left = rows_.out - y;
      const int now = left < rows_at_once_ ? left : rows_at_once_;
      Take(work_.input + first, y * rows_.stride - rows_.pad, kept, (now - 1) * rows_.stride + 3);
      const ThreeByThreeRows band{band_, row_values_ / kFour, row_values_,
                                  now * rows_.stride * row_values_};
      loop(filters_, band, to);
      to += now * rows_.out_step;
      kept = 3 - rows_.stride;
      if (kept < 0) kept = 0;
      if (now < left) {
        CopyForward(reinterpret_cast<uint8_t*>(band_),
                    reinterpret_cast<const uint8_t*>(band_ + now * rows_.stride * row_values_),
                    2 * kept * row_values_);
      }
    }
  }

 private:
  // Widens rows `origin + kept` to `origin + count - 1` of the image; those outside it are zero.
  void Take(const int8_t* input, int origin, int kept, int count) {
    const int begin = origin + kept < 0 ? -origin : kept;
    int end = rows_.in - origin < count ? rows_.in - origin : count;
    if (end < begin) end = begin;
    Clear(kept, begin);
    Clear(end, count);
    if (begin == end) return;
    const FourRows rows{end - begin, rows_.in_step, columns_.in, columns_.in_step,
                        row_values_ / kFour};
    WidenFourRows(input + (origin + begin) * rows_.in_step, rows, work_.input_offset,
                  band_ + begin * row_values_ + columns_.pad);
  }

  void Clear(int begin, int end) {
    if (begin < end) {
      std::memset(band_ + begin * row_values_, 0,
                  static_cast<size_t>((end - begin) * row_values_) * sizeof(int16_t));
    }
  }

  const DepthwiseRows& work_;
  const Side& rows_;
  const Side& columns_;
  const int row_values_;
  const int rows_at_once_;
  ThreeByThree* const filters_;
  int16_t* const band_;
};

}  // namespace

void RunThreeByThree(const DepthwiseRows& work, const Sides& sides, ThreeByThreeLoop loop) {
  Image image(work, sides);
  for (int first = 0; first < sides.channels; first += kFour) image.Run(first, loop);
}

#endif  // KWS_HAVE_DSP

}  // namespace kws
