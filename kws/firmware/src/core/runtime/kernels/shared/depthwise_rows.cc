// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/depthwise_rows.h"

#include <cstring>

#include "runtime/kernels/arm/depthwise_dsp_loops.h"
#include "runtime/kernels/shared/depthwise_loops.h"
#include "runtime/model/flatbuffer.h"

namespace kws {
namespace {

// Output channels of one input channel whose filters are laid out at a time.
constexpr int kGroup = 4;

// The window along one side of the image.
struct Side {
  int in;
  int out;
  int taps;
  int stride;
  int dilation;
  int pad;
  int in_step;  // bytes from value to value of a channel
  int out_step;
  int filter_step;
};

// What follows is written for rows; an image that is higher than wide is taken column by column,
// for fewer and longer rows. A channel that comes alone is not, so that its output, made in order,
// may overwrite it.
struct Sides {
  Side rows;
  Side columns;

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
                w.pad_left, w.in_channels, w.out_channels, w.out_channels} {
    if (w.in_channels > 1 && w.out_height > w.out_width) {
      const Side side = rows;
      rows = columns;
      columns = side;
    }
  }

  // Taps are taken in pairs. Between dilated taps, and behind the last of an odd window, lie taps
  // of weight 0.
  int Pairs() const { return ((columns.taps - 1) * columns.dilation + 2) / 2; }
  // int16 values in a row of the band: all that the last window of a row covers, in whole chunks.
  int RowSize() const {
    return ((columns.out - 1) * columns.stride + 2 * Pairs() + kChunk - 1) / kChunk * kChunk;
  }
};

// One input channel on its way down the image.
class Channel {
 public:
  Channel(const DepthwiseRows& work, const Sides& sides)
      : work_(work),
        rows_(sides.rows),
        columns_(sides.columns),
        multiplier_(work.window.out_channels / work.window.in_channels),
        row_size_(sides.RowSize()),
        pairs_(sides.Pairs()),
        band_(work.scratch),
        packed_(work.scratch + rows_.taps * row_size_) {
    // Once for all channels: what is outside the image stays zero.
    std::memset(band_, 0, static_cast<size_t>(rows_.taps * row_size_) * sizeof(int16_t));
#if KWS_HAVE_DSP
    if (work.outputs.usual() && columns_.dilation == 1) {
      three_by_three_ =
          multiplier_ == 1 && rows_.taps == 3 && columns_.taps == 3 && columns_.stride == 1;
      odd_taps_ = !three_by_three_ && (columns_.taps & 1) != 0 && columns_.stride == 1;
      eight_taps_ =
          multiplier_ >= kGroup && columns_.taps == 8 && columns_.stride == 2 && columns_.out >= 2;
    }
#endif
  }

  // Not inline: with less at hand the compiler keeps the loops in registers.
  __attribute__((noinline)) void Run(const int8_t* input, int8_t* output, int channel) {
    input_ = input + channel;
    channel_ = channel;
    packed_channel_ = -1;
    int origin = -rows_.pad;
    for (int y = 0; y < rows_.out; ++y) {
      const TapRange taps = ValidTaps(origin, rows_.taps, rows_.dilation, rows_.in);
      FillBand(origin, taps, y == 0 || rows_.dilation > 1 ? rows_.taps : rows_.stride);
#if KWS_HAVE_DSP
      if (three_by_three_) {
        RunThreeByThree(channel, output + channel);
      } else
#endif
        RunRow(taps, output, (y & 1) != 0);
      origin += rows_.stride;
      output += rows_.out_step;
    }
  }

 private:
  // Moves the band's rows up by `fresh` and widens as many new ones behind them.
  void FillBand(int origin, const TapRange& taps, int fresh) {
    int slot = 0;
    if (fresh < rows_.taps) {
      slot = rows_.taps - fresh;
      MoveChunks(band_ + fresh * row_size_, slot * row_size_ / kChunk, band_);
    }
    for (; slot < rows_.taps; ++slot) {
      int16_t* to = band_ + slot * row_size_;
      // The stride may leave columns over at the end. What is outside the image stays zero.
      const int room = row_size_ - columns_.pad;
      const int count = room < columns_.in ? room : columns_.in;
      if (slot < taps.begin || slot >= taps.end) {
        std::memset(to, 0, static_cast<size_t>(row_size_) * sizeof(int16_t));
      } else {
        Widen(input_ + (origin + slot * rows_.dilation) * rows_.in_step, columns_.in_step, count,
              work_.input_offset, to + columns_.pad);
      }
    }
  }

  // All outputs of one row. Back and forth, so that the filters at the turn need not be laid out
  // again.
  void RunRow(const TapRange& taps, int8_t* to, bool back) {
    const int groups = (multiplier_ + kGroup - 1) / kGroup;
    for (int i = 0; i < groups; ++i) {
      const int first = (back ? groups - 1 - i : i) * kGroup;
      const int left = multiplier_ - first;
      const int channel = channel_ * multiplier_ + first;
#if KWS_HAVE_DSP
      if (eight_taps_ && left >= kGroup && taps.begin < taps.end) {
        RunEightTaps(channel, taps, to + channel);
        continue;
      }
#endif
      for (int c = channel; c < channel + (left < kGroup ? left : kGroup); ++c) {
#if KWS_HAVE_DSP
        if (odd_taps_) {
          RunOddTaps(c, taps, to + c);
          continue;
        }
#endif
        RunAny(c, taps, to + c);
      }
    }
  }

  // One filter at a time, pairs of taps.
  void RunAny(int channel, const TapRange& taps, int8_t* to) {
    if (packed_channel_ != channel) {
      packed_channel_ = channel;
      int16_t* packed = packed_;
      const int8_t* row = work_.filter + channel;
      for (int y = 0; y < rows_.taps; ++y) {
        const int8_t* tap = row;
        std::memset(packed, 0, static_cast<size_t>(pairs_) * 2 * sizeof(int16_t));
        for (int x = 0; x < columns_.taps; ++x) {
          packed[x * columns_.dilation] = *tap;
          tap += columns_.filter_step;
        }
        packed += 2 * pairs_;
        row += rows_.filter_step;
      }
    }
    const int32_t start = Bias(channel);
    const int16_t* from = band_ + taps.begin * row_size_;
    const int16_t* packed = packed_ + taps.begin * pairs_ * 2;
    for (int x = 0; x < columns_.out; ++x) {
      *to = work_.outputs.At(
          channel, SumOfPairs(from, row_size_, packed, pairs_, taps.end - taps.begin, start));
      from += columns_.stride;
      to += columns_.out_step;
    }
  }

#if KWS_HAVE_DSP
  void RunThreeByThree(int channel, int8_t* to) {
    ThreeByThree* work = reinterpret_cast<ThreeByThree*>(packed_);
    if (packed_channel_ != channel) {
      packed_channel_ = channel;
      work->start = Bias(channel);
      const int8_t* row = work_.filter + channel;
      for (uint32_t* pairs : work->weights) {
        const int16_t a = row[0];
        const int16_t b = row[columns_.filter_step];
        const int16_t c = row[2 * columns_.filter_step];
        pairs[0] = dsp::Pack(a, b);
        pairs[1] = dsp::Pack(c, 0);
        pairs[2] = dsp::Pack(0, a);
        pairs[3] = dsp::Pack(b, c);
        row += rows_.filter_step;
      }
      work->factor = work_.outputs.UsualFactor(channel);
      work->step = columns_.out_step;
    }
    kws::RunThreeByThree(*work, band_, row_size_, columns_.out, to);
  }

  void RunOddTaps(int channel, const TapRange& taps, int8_t* to) {
    if (packed_channel_ != channel) {
      packed_channel_ = channel;
      int16_t* packed = packed_;
      const int8_t* row = work_.filter + channel;
      for (int y = 0; y < rows_.taps; ++y) {
        const int8_t* tap = row;
        int16_t before = 0;
        for (int i = pairs_; i > 0; --i) {
          const int16_t even = *tap;
          const int16_t odd = i > 1 ? tap[columns_.filter_step] : int16_t{0};
          packed[0] = even;
          packed[1] = odd;
          packed[2] = before;
          packed[3] = even;
          packed += 4;
          before = odd;
          tap += 2 * columns_.filter_step;
        }
        row += rows_.filter_step;
      }
    }
    OddTaps work;
    work.band = band_ + taps.begin * row_size_;
    work.filter = packed_ + taps.begin * pairs_ * 4;
    work.row_size = row_size_;
    work.pairs = pairs_;
    work.rows = taps.end - taps.begin;
    work.start = Bias(channel);
    work.factor = work_.outputs.UsualFactor(channel);
    work.step = columns_.out_step;
    kws::RunOddTaps(work, columns_.out, to);
  }

  void RunEightTaps(int channel, const TapRange& taps, int8_t* to) {
    if (packed_channel_ != channel) {
      packed_channel_ = channel;
      PackEightTaps(work_.filter + channel, columns_.filter_step, rows_.taps, row_size_, packed_);
    }
    EightTaps work;
    work.band = band_ + taps.begin * row_size_;
    work.filter = packed_ + taps.begin * EightTaps::kRowSize;
    work.rows = taps.end - taps.begin;
    work.step = columns_.out_step;
    for (int c = 0; c < kGroup; ++c) {
      work.start[c] = Bias(channel + c);
      work.factors[c] = work_.outputs.UsualFactor(channel + c);
    }
    kws::RunEightTaps(work, columns_.out / 2, to);
    if ((columns_.out & 1) == 0) return;
    // The last output once more with its neighbour.
    work.band -= columns_.stride;
    kws::RunEightTaps(work, 1, to + (columns_.out - 2) * columns_.out_step);
  }
#endif

  int32_t Bias(int channel) const {
    return work_.bias == nullptr ? 0 : LoadAs<int32_t>(work_.bias + channel);
  }

  const DepthwiseRows& work_;
  const Side& rows_;
  const Side& columns_;
  const int multiplier_;
  const int row_size_;
  const int pairs_;
  int16_t* const band_;    // the window's rows
  int16_t* const packed_;  // the weights of one filter or group
  bool three_by_three_ = false;
  bool odd_taps_ = false;
  bool eight_taps_ = false;
  const int8_t* input_ = nullptr;
  int channel_ = 0;  // of the input
  int packed_channel_ = -1;
};

}  // namespace

uint32_t DepthwiseRowsScratch(const Window& window) {
  constexpr uint64_t kTooMuch = 1u << 30;  // more than any arena
  constexpr uint64_t kThreeByThreeBytes = 68;
  const Sides sides(window);
  const uint64_t rows = static_cast<uint32_t>(sides.rows.taps);
  const uint64_t group = window.out_channels / window.in_channels < kGroup ? 1 : kGroup;
  const uint64_t band = rows * 2 * static_cast<uint32_t>(sides.RowSize());
  // See RunOddTaps and EightTaps.
  const uint64_t pairs = static_cast<uint32_t>(sides.Pairs());
  uint64_t packed = rows * 4 * (group > 1 ? pairs * group + 1 : pairs * 2);
  if (packed < kThreeByThreeBytes) packed = kThreeByThreeBytes;
  return static_cast<uint32_t>(band + packed < kTooMuch ? band + packed : kTooMuch);
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

void RunDepthwiseRows(const DepthwiseRows& work) {
  const Window& window = work.window;
  const Sides sides(window);
  Channel channel(work, sides);
  const int8_t* image = work.input;
  int8_t* output = work.output;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int c = 0; c < window.in_channels; ++c) channel.Run(image, output, c);
    image += static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
    output += static_cast<int32_t>(window.out_height) * window.out_width * window.out_channels;
  }
}

}  // namespace kws
