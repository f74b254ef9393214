#include "runtime/kernels/depthwise_rows.h"

#include "runtime/flatbuffer.h"
#include "runtime/kernels/dsp.h"

namespace kws {
namespace {

// Taps are taken in pairs; an odd window gets a last tap of weight 0.
int Pairs(const Window& window) { return (window.width + 1) / 2; }

// int16 values in a row of the band: all that the last window of a row covers, in whole chunks.
int RowSize(const Window& window) {
  const int covered = (window.out_width - 1) * window.stride_width + 2 * Pairs(window);
  return (covered + 7) / 8 * 8;
}

// Sums of kChannels filters at kPixels neighbouring outputs.
template <int kChannels, int kPixels>
struct Sums {
  int32_t at[kChannels][kPixels];
};

// Sixteen bytes of anything, which the compiler moves with two instructions.
struct __attribute__((may_alias)) Chunk {
  uint32_t words[4];
};

// A piece of the inner loop's work: the rows of the band that the window covers at output `x`.
struct Block {
  const int16_t* row;     // its first
  const int16_t* filter;  // that row's pairs: per pair, kChannels times two taps
  int rows;
  int row_size;
  int pairs;
  int stride;
};

#if KWS_HAVE_DSP

// Four channels' weights at two taps, as pairs.
inline Chunk InterleaveTaps(uint32_t first, uint32_t second) {
  const uint32_t even = dsp::Even(first);
  const uint32_t odd = dsp::Odd(first);
  const uint32_t next_even = dsp::Even(second);
  const uint32_t next_odd = dsp::Odd(second);
  return Chunk{{dsp::PackLow(even, next_even), dsp::PackLow(odd, next_odd),
                dsp::PackHigh(even, next_even), dsp::PackHigh(odd, next_odd)}};
}

template <int kChannels, int kPixels>
inline void AddBlock(const Block& block, const int32_t* starts, Sums<kChannels, kPixels>* sums) {
  const int16_t* row = block.row;
  const int16_t* filter = block.filter;
  Sums<kChannels, kPixels> sum;
  for (int c = 0; c < kChannels; ++c) {
    for (int p = 0; p < kPixels; ++p) sum.at[c][p] = starts[c];
  }
  for (int y = block.rows; y > 0; --y) {
    const int16_t* at = row;
    for (int pair = block.pairs; pair > 0; --pair) {
      uint32_t taps[kPixels];
#pragma GCC unroll 4
      for (int p = 0; p < kPixels; ++p) taps[p] = LoadAs<uint32_t>(at + p * block.stride);
#pragma GCC unroll 4
      for (int c = 0; c < kChannels; ++c) {
        const uint32_t weights = LoadAs<uint32_t>(filter + 2 * c);
#pragma GCC unroll 4
        for (int p = 0; p < kPixels; ++p) {
          sum.at[c][p] = dsp::MulAddPairs(weights, taps[p], sum.at[c][p]);
        }
      }
      at += 2;
      filter += 2 * kChannels;
    }
    row += block.row_size;
  }
  *sums = sum;
}

// Four filters of eight taps a row at two outputs, two inputs apart: a pair of the second output is
// the next pair of the first. This takes all registers there are; the row counter is in memory.
__attribute__((noinline)) void AddEightTaps(const Block& block, const int32_t* starts,
                                            Sums<4, 2>* sums) {
#define KWS_PAIR(first, second)          \
  "ldr " second                          \
  ", [%[row]], #4\n"                     \
  "ldrd %[w0], %[w1], [%[filter]], #8\n" \
  "smlad %[s0], %[w0], " first           \
  ", %[s0]\n"                            \
  "smlad %[s1], %[w0], " second          \
  ", %[s1]\n"                            \
  "smlad %[s2], %[w1], " first           \
  ", %[s2]\n"                            \
  "smlad %[s3], %[w1], " second          \
  ", %[s3]\n"                            \
  "ldrd %[w0], %[w1], [%[filter]], #8\n" \
  "smlad %[s4], %[w0], " first           \
  ", %[s4]\n"                            \
  "smlad %[s5], %[w0], " second          \
  ", %[s5]\n"                            \
  "smlad %[s6], %[w1], " first           \
  ", %[s6]\n"                            \
  "smlad %[s7], %[w1], " second ", %[s7]\n"
  int32_t s0 = starts[0], s1 = s0, s2 = starts[1], s3 = s2;
  int32_t s4 = starts[2], s5 = s4, s6 = starts[3], s7 = s6;
  const int16_t* row = block.row;
  const int16_t* filter = block.filter;
  int rows = block.rows;
  const int next_row = 2 * block.row_size - 5 * 4;  // from behind the fifth pair, in bytes
  uint32_t t0, t1, w0, w1;
  __asm__ volatile(
      "1:\n"
      "ldr %[t0], [%[row]], #4\n"  //
      KWS_PAIR("%[t0]", "%[t1]") KWS_PAIR("%[t1]", "%[t0]") KWS_PAIR("%[t0]", "%[t1]")
          KWS_PAIR("%[t1]", "%[t0]")
      "ldr %[t0], %[next_row]\n"
      "add %[row], %[t0]\n"
      "ldr %[t0], %[rows]\n"
      "subs %[t0], #1\n"
      "str %[t0], %[rows]\n"
      "bne 1b\n"
      : [s0] "+r"(s0), [s1] "+r"(s1), [s2] "+r"(s2), [s3] "+r"(s3), [s4] "+r"(s4), [s5] "+r"(s5),
        [s6] "+r"(s6), [s7] "+r"(s7), [row] "+r"(row), [filter] "+r"(filter), [t0] "=&r"(t0),
        [t1] "=&r"(t1), [w0] "=&r"(w0), [w1] "=&r"(w1), [rows] "+m"(rows)
      : [next_row] "m"(next_row)
      : "cc", "memory");
#undef KWS_PAIR
  *sums = Sums<4, 2>{{{s0, s1}, {s2, s3}, {s4, s5}, {s6, s7}}};
}

template <>
inline void AddBlock<4, 2>(const Block& block, const int32_t* starts, Sums<4, 2>* sums) {
  if (block.pairs == 4 && block.stride == 2 && block.rows > 0) {
    AddEightTaps(block, starts, sums);
    return;
  }
  Block one = block;
  for (int p = 0; p < 2; ++p) {
    Sums<4, 1> part;
    AddBlock<4, 1>(one, starts, &part);
    for (int c = 0; c < 4; ++c) sums->at[c][p] = part.at[c][0];
    one.row += block.stride;
  }
}

#else

template <int kChannels, int kPixels>
inline void AddBlock(const Block& block, const int32_t* starts, Sums<kChannels, kPixels>* sums) {
  const int16_t* row = block.row;
  const int16_t* filter = block.filter;
  for (int c = 0; c < kChannels; ++c) {
    for (int p = 0; p < kPixels; ++p) sums->at[c][p] = starts[c];
  }
  for (int y = 0; y < block.rows; ++y, row += block.row_size) {
    for (int pair = 0; pair < block.pairs; ++pair, filter += 2 * kChannels) {
      for (int c = 0; c < kChannels; ++c) {
        for (int p = 0; p < kPixels; ++p) {
          const int16_t* taps = row + 2 * pair + p * block.stride;
          sums->at[c][p] =
              WrappingAdd(sums->at[c][p], filter[2 * c] * taps[0] + filter[2 * c + 1] * taps[1]);
        }
      }
    }
  }
}

#endif  // KWS_HAVE_DSP

#if KWS_HAVE_DSP
// One output row of a 3x3 filter, `packed` in six pairs. Not inlined: the loop needs all registers.
__attribute__((noinline)) void RowOfThreeByThree(const int16_t* packed, const int16_t* const* rows,
                                                 int32_t start, Outputs::Factor factor, int8_t* to,
                                                 const Window& window) {
  const int16_t* top = rows[0];
  const int16_t* middle = rows[1];
  const int16_t* bottom = rows[2];
  const int stride = window.stride_width;
  const int step = window.out_channels;
  for (int x = window.out_width; x > 0; --x) {
    int32_t sum = start;
    uint32_t taps, w0, w1;
    __asm__(
        "ldrd %[w0], %[w1], [%[packed]]\n"
        "ldr %[taps], [%[top]]\n"
        "smlad %[sum], %[w0], %[taps], %[sum]\n"
        "ldr %[taps], [%[top], #4]\n"
        "smlad %[sum], %[w1], %[taps], %[sum]\n"
        "ldrd %[w0], %[w1], [%[packed], #8]\n"
        "ldr %[taps], [%[middle]]\n"
        "smlad %[sum], %[w0], %[taps], %[sum]\n"
        "ldr %[taps], [%[middle], #4]\n"
        "smlad %[sum], %[w1], %[taps], %[sum]\n"
        "ldrd %[w0], %[w1], [%[packed], #16]\n"
        "ldr %[taps], [%[bottom]]\n"
        "smlad %[sum], %[w0], %[taps], %[sum]\n"
        "ldr %[taps], [%[bottom], #4]\n"
        "smlad %[sum], %[w1], %[taps], %[sum]\n"
        : [sum] "+r"(sum), [w0] "=&r"(w0), [w1] "=&r"(w1), [taps] "=&r"(taps)
        : [packed] "r"(packed), [top] "r"(top), [middle] "r"(middle), [bottom] "r"(bottom)
        : "memory");
    top += stride;
    middle += stride;
    bottom += stride;
    *to = factor(sum);
    to += step;
  }
}
#endif

// Nine weights, packed in pairs with zeros, times three rows.
class Taps3x3 {
 public:
  explicit Taps3x3(const int16_t* packed) {
    for (int i = 0; i < 6; ++i) pairs_[i] = LoadAs<uint32_t>(packed + 2 * i);
  }

  int32_t Sum(const int16_t* top, const int16_t* middle, const int16_t* bottom,
              int32_t start) const {
    int32_t sum = AddPair(pairs_[0], top, start);
    sum = AddPair(pairs_[1], top + 2, sum);
    sum = AddPair(pairs_[2], middle, sum);
    sum = AddPair(pairs_[3], middle + 2, sum);
    sum = AddPair(pairs_[4], bottom, sum);
    return AddPair(pairs_[5], bottom + 2, sum);
  }

 private:
  static int32_t AddPair(uint32_t weights, const int16_t* taps, int32_t sum) {
#if KWS_HAVE_DSP
    return dsp::MulAddPairs(weights, LoadAs<uint32_t>(taps), sum);
#else
    return WrappingAdd(sum, static_cast<int16_t>(weights) * taps[0] +
                                static_cast<int16_t>(weights >> 16) * taps[1]);
#endif
  }

  uint32_t pairs_[6];
};

// One input channel on its way down the image.
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
        pairs_(Pairs(window_)),
        columns_(row_size_ - window_.pad_left < window_.in_width ? row_size_ - window_.pad_left
                                                                 : window_.in_width),
        band_(work.scratch),
        packed_(work.scratch + window_.height * row_size_) {}

  void Run() {
    ClearBand();
    if (multiplier_ == 1 && window_.height == 3 && window_.width == 3) {
      RunThreeByThree();
      return;
    }
    const int groups = (multiplier_ + kDepthwiseGroup - 1) / kDepthwiseGroup;
    int origin = -window_.pad_top;
    int8_t* to = output_;
    for (int y = 0; y < window_.out_height; ++y) {
      const TapRange rows = ValidTaps(origin, window_.height, 1, window_.in_height);
      FillBand(origin, rows, y == 0 ? window_.height : window_.stride_height);
      // Back and forth, so that the filters at the turn need not be laid out again.
      for (int i = 0; i < groups; ++i) RunGroup((y & 1) != 0 ? groups - 1 - i : i, rows, to);
      origin += window_.stride_height;
      to += window_.out_width * window_.out_channels;
    }
  }

 private:
  // Moves the band's rows up by `fresh` and widens as many new ones behind them.
  void FillBand(int origin, const TapRange& rows, int fresh) {
    int first = 0;
    if (fresh < window_.height) {
      first = window_.height - fresh;
      Chunk* to = reinterpret_cast<Chunk*>(band_);
      const Chunk* from = reinterpret_cast<const Chunk*>(band_ + fresh * row_size_);
      for (int i = first * row_size_ / 8; i > 0; --i) *to++ = *from++;
    }
    if (first < rows.begin) first = rows.begin;
    for (int slot = first; slot < rows.end; ++slot) Widen(origin + slot, band_ + slot * row_size_);
  }

  // The columns beside the image stay zero.
  void ClearBand() {
    Chunk* to = reinterpret_cast<Chunk*>(band_);
    for (int i = window_.height * row_size_ / 8; i > 0; --i) *to++ = Chunk{};
  }

  // Widens one input row; a row outside the image is all zero.
  void Widen(int row, int16_t* to) const {
    to += window_.pad_left;
    if (row < 0 || row >= window_.in_height) {
      for (int i = columns_; i > 0; --i) *to++ = 0;
      return;
    }
    const int step = window_.in_channels;
    const int32_t offset = work_.input_offset;
    const int8_t* from = input_ + row * window_.in_width * step;
#pragma GCC unroll 4
    for (int i = columns_; i > 0; --i) {
      *to++ = static_cast<int16_t>(*from + offset);
      from += step;
    }
  }

  // The usual depthwise layer: the nine weights stay at hand, rows outside the image are zeros.
  void RunThreeByThree() {
    Pack(0, 1);
    Taps3x3 taps(packed_);
    const int32_t start = Bias(in_channel_);
    Outputs outputs = work_.outputs;
    outputs.Skip(in_channel_);
    const int stride = window_.stride_width;
    const int step = window_.out_channels;
    int8_t* to = output_ + in_channel_;
    int row = -window_.pad_top;
    // The rows' places rotate.
    int16_t* top = band_;
    int16_t* middle = top + row_size_;
    int16_t* bottom = middle + row_size_;
    int fresh = 3;
    for (int y = 0; y < window_.out_height; ++y) {
      if (fresh >= 3) Widen(row, top);
      if (fresh >= 2) Widen(row + 1, middle);
      Widen(row + 2, bottom);
      const int16_t* from[3] = {top, middle, bottom};
#if KWS_HAVE_DSP
      if (outputs.usual()) {
        RowOfThreeByThree(packed_, from, start, outputs.UsualFactor(), to, window_);
        to += window_.out_width * step;
      } else
#endif
        for (int x = window_.out_width; x > 0; --x) {
          const int32_t sum = taps.Sum(from[0], from[1], from[2], start);
          from[0] += stride;
          from[1] += stride;
          from[2] += stride;
          outputs.Write<1>(&sum, to, 0);
          to += step;
        }
      fresh = window_.stride_height;
      row += fresh;
      int16_t* const old_top = top;
      if (fresh == 1) {
        top = middle;
        middle = bottom;
        bottom = old_top;
      } else if (fresh == 2) {
        top = bottom;
        bottom = old_top;
      }
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
#if KWS_HAVE_DSP
        if (both && count == kDepthwiseGroup) {
          const uint32_t first_tap = LoadAs<uint32_t>(from);
          const uint32_t second_tap = LoadAs<uint32_t>(from + step);
          *reinterpret_cast<Chunk*>(to) = InterleaveTaps(first_tap, second_tap);
          to += 2 * kDepthwiseGroup;
          continue;
        }
#endif
        for (int c = 0; c < count; ++c) {
          *to++ = from[c];
          *to++ = both ? from[c + step] : int16_t{0};
        }
      }
      row += window_.width * step;
    }
  }

  void RunGroup(int group, const TapRange& rows, int8_t* to) {
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
      Block block{band_ + rows.begin * row_size_,
                  packed_ + rows.begin * pairs_ * 2 * count,
                  rows.end - rows.begin,
                  row_size_,
                  pairs_,
                  window_.stride_width};
      if (count == kDepthwiseGroup) {
        RunPixels<kDepthwiseGroup, 2>(out_channel, block, to + out_channel);
      } else {
        RunPixels<1, 4>(out_channel, block, to + out_channel);
      }
    }
  }

  template <int kChannels, int kPixels>
  void RunPixels(int out_channel, Block& block, int8_t* to) {
    int32_t starts[kChannels];
    for (int c = 0; c < kChannels; ++c) starts[c] = Bias(out_channel + c);
    Outputs outputs = work_.outputs;
    outputs.Skip(out_channel);
    const int step = window_.out_channels;
    int left = window_.out_width;
    for (; left >= kPixels; left -= kPixels) {
      RunBlock<kChannels, kPixels>(starts, outputs, block, to, step);
      block.row += kPixels * block.stride;
      to += kPixels * step;
    }
    for (; left > 0; --left) {
      RunBlock<kChannels, 1>(starts, outputs, block, to, step);
      block.row += block.stride;
      to += step;
    }
  }

  template <int kChannels, int kPixels>
  static void RunBlock(const int32_t* starts, Outputs outputs, const Block& block, int8_t* to,
                       int step) {
    Sums<kChannels, kPixels> sums;
    AddBlock<kChannels, kPixels>(block, starts, &sums);
    for (int c = 0; c < kChannels; ++c) {
      outputs.Write<kPixels>(sums.at[c], to + c, step);
      outputs.Skip(1);
    }
  }

  int32_t Bias(int out_channel) const {
    return work_.bias == nullptr ? 0 : LoadAs<int32_t>(work_.bias + out_channel);
  }

  const DepthwiseRows& work_;
  const Window& window_;
  const int8_t* input_;
  int8_t* output_;
  int in_channel_;
  int multiplier_;
  int row_size_;
  int pairs_;
  int columns_;      // of the image that windows reach; the stride may leave some over at the end
  int16_t* band_;    // the window's rows
  int16_t* packed_;  // the filters of one group
  int packed_channel_ = -1;
};

}  // namespace

uint32_t DepthwiseRowsScratch(const Window& window) {
  const uint32_t band =
      static_cast<uint32_t>(window.height) * static_cast<uint32_t>(RowSize(window));
  const uint32_t group =
      window.out_channels / window.in_channels < kDepthwiseGroup ? 1 : kDepthwiseGroup;
  const uint32_t filters = window.height * 2 * static_cast<uint32_t>(Pairs(window)) * group;
  return 2 * (band + filters);
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
