// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/x86/depthwise_avx2_loops.h"

#include "kws/runtime/kernels/loops/x86/avx2.h"

#if KWS_MAY_HAVE_AVX2
#include <algorithm>

namespace kws {
namespace avx2 {
namespace {

constexpr int kChannels = 16;  // at once: int16 in a register
constexpr int kMostTaps = 256;
constexpr int kMostValues = 16384;  // of the line buffer

// The image rows under the window, widened to int16, with padding. An output row may overwrite the
// image rows that it holds, as with LineBuffer.
class Rows {
 public:
  // A row has `lanes` values for each column.
  Rows(const Window& window, int lanes, int32_t offset, int16_t* values)
      : window_(window), lanes_(lanes), offset_(offset), values_(values) {}

  static int Size(const Window& window, int lanes) { return Width(window) * lanes; }

  // Loads the rows of output row `y`, in order; `input`: the first of `count` channels.
  KWS_AVX2 void Take(const int8_t* input, int y, int count) {
    const int end = y * window_.stride_height - window_.pad_top + window_.height;
    for (; next_ < end; ++next_) Fill(input, next_, count);
  }

  // Row `tap` of the window of output row `y`.
  const int16_t* Row(int y, int tap) const {
    return Place(y * window_.stride_height - window_.pad_top + tap);
  }

 private:
  // Columns with padding on both sides.
  static int Width(const Window& window) {
    return (window.out_width - 1) * window.stride_width + window.width;
  }
  int16_t* Place(int row) const {
    const int slot = (row + window_.pad_top) % window_.height;
    return values_ + slot * Size(window_, lanes_);
  }

  KWS_AVX2 void Fill(const int8_t* input, int row, int count) const {
    int16_t* to = Place(row);
    const int size = Size(window_, lanes_);
    std::memset(to, 0, static_cast<size_t>(size) * sizeof(int16_t));
    if (row < 0 || row >= window_.in_height) return;
    const __m256i offsets = _mm256_set1_epi16(static_cast<int16_t>(offset_));
    const int channels = window_.in_channels;
    const int8_t* from = input + static_cast<int32_t>(row) * window_.in_width * channels;
    int width = Width(window_) - window_.pad_left;
    if (width > window_.in_width) width = window_.in_width;
    to += window_.pad_left * lanes_;
    if (lanes_ == 1) {
      int x = 0;
      for (; x + kChannels <= width; x += kChannels) {
        Store(_mm256_add_epi16(Widen(from + x), offsets), to + x);
      }
      for (; x < width; ++x) to[x] = static_cast<int16_t>(from[x] + offset_);
      return;
    }
    for (int x = 0; x < width; ++x, from += channels, to += kChannels) {
      if (count == kChannels) {
        Store(_mm256_add_epi16(Widen(from), offsets), to);
      } else {
        for (int i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i] + offset_);
      }
    }
  }

  const Window& window_;
  const int lanes_;
  const int32_t offset_;
  int16_t* const values_;
  int next_ = -window_.pad_top;
};

// Requantization and output of up to sixteen channels.
struct Channels {
  Factors low;
  Factors high;
  int count;
};

KWS_AVX2_INLINE Channels LoadChannels(const DepthwiseRows& work, int first, int count) {
  const int low = count < kLanes ? count : kLanes;
  return {LoadFactors(work.outputs, first, low, work.bias),
          LoadFactors(work.outputs, first + low, count - low, work.bias), count};
}

KWS_AVX2_INLINE void Write(const Channels& channels, __m256i low, __m256i high, int8_t* to) {
  const Factors& f = channels.low;
  const int count = channels.count;
  StoreBytes(ToBytes(Requantize(low, f), f.min, f.max), count < kLanes ? count : kLanes, to);
  if (count <= kLanes) return;
  StoreBytes(ToBytes(Requantize(high, channels.high), f.min, f.max), count - kLanes, to + kLanes);
}

// Weights of two taps, for _mm256_madd_epi16 with two taps of each channel side by side. Registers
// are interleaved by halves, so channels 0..3 and 8..11 are low, the others high.
struct Pair {
  __m256i low;
  __m256i high;
};

KWS_AVX2_INLINE __m256i WidenSome(const int8_t* from, int count) {
  if (count == kChannels) return Widen(from);
  int8_t all[kChannels] = {};
  std::memcpy(all, from, static_cast<size_t>(count));
  return Widen(all);
}

// In the order of the channels: from the order of Pair.
KWS_AVX2_INLINE __m256i FirstHalf(__m256i low, __m256i high) {
  return _mm256_permute2x128_si256(low, high, 0x20);
}
KWS_AVX2_INLINE __m256i SecondHalf(__m256i low, __m256i high) {
  return _mm256_permute2x128_si256(low, high, 0x31);
}

// Pairs of the weights of `count` channels. Returns the number of pairs.
KWS_AVX2 int LoadWeights(const int8_t* filter, int taps, int step, int count, Pair* pairs) {
  int pair = 0;
  for (int tap = 0; tap < taps; tap += 2, ++pair) {
    const __m256i a = WidenSome(filter + tap * step, count);
    const __m256i b =
        tap + 1 < taps ? WidenSome(filter + (tap + 1) * step, count) : _mm256_setzero_si256();
    pairs[pair] = {_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)};
  }
  return pair;
}

// Output channel c depends on input channel c.
KWS_AVX2 void RunEach(const DepthwiseRows& work, int16_t* values) {
  const Window& window = work.window;
  const int taps = window.height * window.width;
  const int channels = window.out_channels;
  Pair pairs[kMostTaps / 2];
  const int16_t* at[kMostTaps + 1];
  std::fill_n(at, kMostTaps + 1, values);  // each one points somewhere, as far as tools can tell
  for (int first = 0; first < channels; first += kChannels) {
    const int count = channels - first < kChannels ? channels - first : kChannels;
    const int pair_count = LoadWeights(work.filter + first, taps, channels, count, pairs);
    const Channels outputs = LoadChannels(work, first, count);
    Rows rows(window, kChannels, work.input_offset, values);
    int8_t* to = work.output + first;
    for (int y = 0; y < window.out_height; ++y) {
      rows.Take(work.input + first, y, count);
      for (int tap = 0; tap < taps; ++tap) {
        at[tap] = rows.Row(y, tap / window.width) + tap % window.width * kChannels;
      }
      at[taps] = at[0];  // its weight is 0
      for (int x = 0; x < window.out_width; ++x, to += channels) {
        const int from = x * window.stride_width * kChannels;
        __m256i low = _mm256_setzero_si256();
        __m256i high = low;
        for (int i = 0; i < pair_count; ++i) {
          const __m256i a = Load(at[2 * i] + from);
          const __m256i b = Load(at[2 * i + 1] + from);
          low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), pairs[i].low));
          high =
              _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), pairs[i].high));
        }
        Write(outputs, FirstHalf(low, high), SecondHalf(low, high), to);
      }
    }
  }
}

// All output channels depend on the only input channel. Pairs are two columns of a row.
KWS_AVX2 void RunOne(const DepthwiseRows& work, int16_t* values) {
  const Window& window = work.window;
  const int channels = window.out_channels;
  const int row_pairs = (window.width + 1) / 2;
  constexpr int kPixels = 4;  // at once
  Pair pairs[kMostTaps];
  // One row buffer for all channels: outputs of a row follow for all of them.
  Rows rows(window, 1, work.input_offset, values);
  const int step = window.stride_width;
  int8_t* row_to = work.output;
  for (int y = 0; y < window.out_height; ++y, row_to += window.out_width * channels) {
    rows.Take(work.input, y, 1);
    for (int first = 0; first < channels; first += kChannels) {
      const int count = channels - first < kChannels ? channels - first : kChannels;
      // With few channels they stay loaded.
      for (int row = 0, pair_count = 0; row < window.height && (y == 0 || channels > kChannels);
           ++row) {
        pair_count += LoadWeights(work.filter + row * window.width * channels + first, window.width,
                                  channels, count, pairs + pair_count);
      }
      const Channels outputs = LoadChannels(work, first, count);
      for (int x = 0; x < window.out_width; x += kPixels) {
        const int pixels = window.out_width - x < kPixels ? window.out_width - x : kPixels;
        // Missing pixels compute the last one again.
        int from[kPixels];
        for (int i = 0; i < kPixels; ++i) from[i] = (x + (i < pixels ? i : pixels - 1)) * step;
        __m256i low[kPixels];
        __m256i high[kPixels];
        for (int i = 0; i < kPixels; ++i) low[i] = high[i] = _mm256_setzero_si256();
        const Pair* pair = pairs;
        for (int row = 0; row < window.height; ++row) {
          const int16_t* taps = rows.Row(y, row);
          for (int k = 0; k < row_pairs; ++k, ++pair) {
            for (int i = 0; i < kPixels; ++i) {
              const __m256i two = _mm256_set1_epi32(LoadAs<int32_t>(taps + from[i] + 2 * k));
              low[i] = _mm256_add_epi32(low[i], _mm256_madd_epi16(two, pair->low));
              high[i] = _mm256_add_epi32(high[i], _mm256_madd_epi16(two, pair->high));
            }
          }
        }
        for (int i = 0; i < pixels; ++i) {
          Write(outputs, FirstHalf(low[i], high[i]), SecondHalf(low[i], high[i]),
                row_to + (x + i) * channels + first);
        }
      }
    }
  }
}

}  // namespace

bool RunDepthwise(const DepthwiseRows& work) {
  const Window& window = work.window;
  const bool one = window.in_channels == 1;
  const int lanes = one ? 1 : kChannels;
  if (window.dilation_height != 1 || window.dilation_width != 1 ||
      (!one && window.in_channels != window.out_channels) ||
      window.height * (window.width + 1) > kMostTaps ||
      window.height * Rows::Size(window, lanes) >= kMostValues) {
    return false;
  }
  alignas(32) int16_t values[kMostValues];
  (one ? RunOne : RunEach)(work, values);
  return true;
}

}  // namespace avx2
}  // namespace kws
#endif
