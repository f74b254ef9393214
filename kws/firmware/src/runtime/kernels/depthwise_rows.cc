#include "runtime/kernels/depthwise_rows.h"

#include "runtime/flatbuffer.h"
#include "runtime/kernels/dsp.h"

namespace kws {
namespace {

// Taps are taken in pairs; an odd window gets a last tap of weight 0.
int Pairs(const Window& window) { return (window.width + 1) / 2; }

// int16 values in a row of the ring: all that the last window of a row covers, and pairs whole.
int RowSize(const Window& window) {
  return ((window.out_width - 1) * window.stride_width + 2 * Pairs(window) + 1) / 2 * 2;
}

// Sums of kChannels filters at kPixels neighbouring outputs.
template <int kChannels, int kPixels>
struct Sums {
  int32_t at[kChannels][kPixels];
};

struct Block {
  const int16_t* ring;  // its first row
  const int16_t* ring_end;
  const int16_t* row;     // the first row of the window that lies in the image
  const int16_t* filter;  // that row's pairs: per pair, kChannels times two taps
  int rows;
  int row_size;
  int pairs;
  int stride;
};

#if KWS_HAVE_DSP

inline uint32_t LoadPair(const int16_t* from) { return LoadAs<uint32_t>(from); }

template <int kChannels, int kPixels>
inline void AddBlock(const Block& block, int x, Sums<kChannels, kPixels>* sums) {
  const int16_t* row = block.row + x * block.stride;
  const int16_t* ring_end = block.ring_end;
  const int16_t* filter = block.filter;
  Sums<kChannels, kPixels> sum = *sums;
  for (int y = block.rows; y > 0; --y) {
    const int16_t* at = row;
    for (int pair = block.pairs; pair > 0; --pair) {
      uint32_t taps[kPixels];
#pragma GCC unroll 4
      for (int p = 0; p < kPixels; ++p) taps[p] = LoadPair(at + p * block.stride);
#pragma GCC unroll 4
      for (int c = 0; c < kChannels; ++c) {
        const uint32_t weights = LoadPair(filter + 2 * c);
#pragma GCC unroll 4
        for (int p = 0; p < kPixels; ++p) {
          sum.at[c][p] = dsp::MulAddPairs(weights, taps[p], sum.at[c][p]);
        }
      }
      at += 2;
      filter += 2 * kChannels;
    }
    row += block.row_size;
    if (row >= ring_end) row -= ring_end - block.ring;
  }
  *sums = sum;
}

#else

template <int kChannels, int kPixels>
inline void AddBlock(const Block& block, int x, Sums<kChannels, kPixels>* sums) {
  const int16_t* row = block.row + x * block.stride;
  const int16_t* filter = block.filter;
  for (int y = 0; y < block.rows; ++y) {
    for (int pair = 0; pair < block.pairs; ++pair, filter += 2 * kChannels) {
      for (int c = 0; c < kChannels; ++c) {
        for (int p = 0; p < kPixels; ++p) {
          const int16_t* taps = row + 2 * pair + p * block.stride;
          sums->at[c][p] =
              WrappingAdd(sums->at[c][p], filter[2 * c] * taps[0] + filter[2 * c + 1] * taps[1]);
        }
      }
    }
    row += block.row_size;
    if (row >= block.ring_end) row -= block.ring_end - block.ring;
  }
}

#endif  // KWS_HAVE_DSP

// The state of one input channel on its way down the image.
class Channel {
 public:
  Channel(const DepthwiseRows& work, const int8_t* image, int8_t* output, int channel)
      : work_(work),
        window_(work.window),
        input_(image + channel),
        output_(output),
        in_channel_(channel),
        multiplier_(window_.out_channels / window_.in_channels),
        row_size_(RowSize(window_)),
        ring_(work.scratch),
        ring_end_(ring_ + window_.height * row_size_),
        packed_(work.scratch + window_.height * row_size_) {}

  void Run() {
    for (int y = 0; y < window_.out_height; ++y) {
      const int origin = y * window_.stride_height - window_.pad_top;
      const TapRange rows = ValidTaps(origin, window_.height, 1, window_.in_height);
      TakeRows(origin + rows.end);
      block_.ring = ring_;
      block_.ring_end = ring_end_;
      block_.row = ring_ + (origin + rows.begin) % window_.height * row_size_;
      block_.rows = rows.end - rows.begin;
      block_.row_size = row_size_;
      block_.pairs = Pairs(window_);
      block_.stride = window_.stride_width;
      int8_t* to = output_ + y * window_.out_width * window_.out_channels;
      // Back and forth, so that the filters at the turn need not be laid out again.
      const int groups = (multiplier_ + kDepthwiseGroup - 1) / kDepthwiseGroup;
      for (int i = 0; i < groups; ++i) RunGroup((y & 1) != 0 ? groups - 1 - i : i, rows.begin, to);
    }
  }

 private:
  // Widens input rows up to, not including, `end` into the ring.
  void TakeRows(int end) {
    const int step = window_.in_channels;
    for (; taken_ < end; ++taken_) {
      // Rows that no window reads any more need not be taken.
      int16_t* to = ring_ + taken_ % window_.height * row_size_;
      int16_t* const row_end = to + row_size_;
      const int8_t* from = input_ + taken_ * window_.in_width * step;
      for (int i = window_.pad_left; i > 0; --i) *to++ = 0;
      for (int i = window_.in_width; i > 0 && to < row_end; --i) {
        *to++ = static_cast<int16_t>(*from + work_.input_offset);
        from += step;
      }
      while (to < row_end) *to++ = 0;
    }
  }

  // Lays the filters of channels [first, first + count) out in pairs.
  void Pack(int first, int count) {
    int16_t* to = packed_;
    const int step = window_.out_channels;
    const int8_t* row = work_.filter + in_channel_ * multiplier_ + first;
    for (int y = 0; y < window_.height; ++y) {
      for (int x = 0; x < window_.width; x += 2) {
        const int8_t* from = row + x * step;
        const bool both = x + 1 < window_.width;
        for (int c = 0; c < count; ++c) {
          *to++ = from[c];
          *to++ = both ? from[c + step] : int16_t{0};
        }
      }
      row += window_.width * step;
    }
  }

  void RunGroup(int group, int first_row, int8_t* to) {
    const int first = group * kDepthwiseGroup;
    const int left = multiplier_ - first;
    const int count = left < kDepthwiseGroup ? 1 : kDepthwiseGroup;
    // What is left of the last group goes one channel at a time.
    for (int c = 0; c < (left < kDepthwiseGroup ? left : 1); ++c) {
      const int channel = first + c;
      if (packed_channel_ != channel) {
        Pack(channel, count);
        packed_channel_ = channel;
      }
      const int out_channel = in_channel_ * multiplier_ + channel;
      block_.filter = packed_ + first_row * block_.pairs * 2 * count;
      ChannelStages stages(work_.multipliers, work_.shifts, work_.channel_step, work_.stage);
      stages.SkipTo(out_channel);
      if (count == kDepthwiseGroup) {
        RunPixels<kDepthwiseGroup, 2>(out_channel, stages, to + out_channel);
      } else {
        RunPixels<1, 4>(out_channel, stages, to + out_channel);
      }
    }
  }

  template <int kChannels, int kPixels>
  void RunPixels(int out_channel, const ChannelStages& stages, int8_t* to) {
    int x = 0;
    for (; x + kPixels <= window_.out_width; x += kPixels) {
      RunBlock<kChannels, kPixels>(out_channel, stages, x, to);
    }
    for (; x < window_.out_width; ++x) RunBlock<kChannels, 1>(out_channel, stages, x, to);
  }

  template <int kChannels, int kPixels>
  void RunBlock(int out_channel, ChannelStages stages, int x, int8_t* to) {
    Sums<kChannels, kPixels> sums;
    for (int c = 0; c < kChannels; ++c) {
      const int32_t start =
          work_.bias == nullptr ? 0 : LoadAs<int32_t>(work_.bias + out_channel + c);
      for (int p = 0; p < kPixels; ++p) sums.at[c][p] = start;
    }
    AddBlock<kChannels, kPixels>(block_, x, &sums);
    for (int c = 0; c < kChannels; ++c) {
      stages.Write<kPixels>(sums.at[c], to + x * window_.out_channels + c, window_.out_channels);
      if (c + 1 < kChannels) stages.Next();
    }
  }

  const DepthwiseRows& work_;
  const Window& window_;
  const int8_t* input_;
  int8_t* output_;
  int in_channel_;
  int multiplier_;
  int row_size_;
  int16_t* ring_;
  int16_t* ring_end_;
  int16_t* packed_;
  int taken_ = 0;
  int packed_channel_ = -1;
  Block block_{};
};

}  // namespace

uint32_t DepthwiseRowsScratch(const Window& window) {
  const uint32_t ring =
      static_cast<uint32_t>(window.height) * static_cast<uint32_t>(RowSize(window));
  const uint32_t group =
      window.out_channels / window.in_channels < kDepthwiseGroup ? 1 : kDepthwiseGroup;
  const uint32_t filters = window.height * 2 * static_cast<uint32_t>(Pairs(window)) * group;
  return 2 * (ring + filters);
}

PlanEntry::Overlap DepthwiseRowsOverlap(const Window& window) {
  PlanEntry::Overlap overlap{PlanEntry::kFar, PlanEntry::kFar, false};
  if (window.in_channels > 1) {
    // Each channel goes over the whole image: only the very same places are safe.
    overlap.in_place = window.in_channels == window.out_channels &&
                       window.in_height == window.out_height && window.in_width == window.out_width;
    return overlap;
  }
  if (window.batches != 1) return overlap;
  const int64_t in_row = window.in_width;
  const int64_t out_row = static_cast<int64_t>(window.out_width) * window.out_channels;
  int64_t forward = 0;
  for (int64_t row = 0; row < window.out_height; ++row) {
    int64_t taken = row * window.stride_height - window.pad_top + window.height;
    if (taken > window.in_height) taken = window.in_height;
    if (taken < 0) taken = 0;
    const int64_t ahead = (row + 1) * out_row - taken * in_row;
    if (ahead > forward) forward = ahead;
  }
  if (forward < PlanEntry::kFar) overlap.forward = static_cast<int32_t>(forward);
  return overlap;
}

void RunDepthwiseRows(const DepthwiseRows& work) {
  const Window& window = work.window;
  const int8_t* image = work.input;
  int8_t* output = work.output;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int channel = 0; channel < window.in_channels; ++channel) {
      Channel(work, image, output, channel).Run();
    }
    image += static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
    output += static_cast<int32_t>(window.out_height) * window.out_width * window.out_channels;
  }
}

}  // namespace kws
