// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/four_channels.h"

#include <cstddef>

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

// Two words per tap: the weights of channels 0 and 2, and of 1 and 3.
constexpr int kTapWords = 2;

// Neighbouring outputs of a row whose windows have the same taps inside the image.
struct FourChannels {
  const int8_t* input;     // the first output's first tap
  const uint32_t* filter;  // this tap's weights
  int32_t start[kFour];
  Outputs::Factor factors[kFour];
  int32_t rows;  // of taps, >= 1
  int32_t taps;  // per row, >= 1
  // Bytes from the end of a row's taps to the next row's taps, in the image and in the filter.
  int32_t next_row;
  int32_t next_filter_row;
  int32_t next_output;  // bytes in the image between first taps of outputs
  int32_t step;         // bytes between outputs
};

// Four channels of `count` (>= 1) outputs. `tap_step`: bytes between taps of a row. Equivalent to
//
//   for (; count > 0; --count, input += next_output, to += step) {
//     int32_t sums[4] = {start[0], start[1], start[2], start[3]};
//     for each row of taps, each of its taps: x, four values, and w, their weights
//       for (int c = 0; c < 4; ++c) sums[c] += (x[c] + offset) * w[c];
//     for (int c = 0; c < 4; ++c) to[c] = Scaled(sums[c], factors[c]);
//   }
//
// In assembly, because it needs all registers and consecutive loads.
void RunFour(FourChannels& work, int32_t tap_step, uint32_t offsets, int count, int8_t* to) {
#define KWS_TAP                              \
  "ldr %[x], [%[in]]\n"                      \
  "ldr %[e], [%[filter]], #8\n"              \
  "ldr %[o], [%[filter], #-4]\n"             \
  "add %[in], %[tap_step]\n"                 \
  "sxtab16 %[a], %[offsets], %[x]\n"         \
  "sxtab16 %[x], %[offsets], %[x], ror #8\n" \
  "smlabb %[s0], %[a], %[e], %[s0]\n"        \
  "smlatt %[s2], %[a], %[e], %[s2]\n"        \
  "smlabb %[s1], %[x], %[o], %[s1]\n"        \
  "smlatt %[s3], %[x], %[o], %[s3]\n"
#define KWS_OUTPUT(sum, channel)                \
  "ldr %[a], [%[x], %[factors] + 12 * " channel \
  "]\n"                                         \
  "ldr %[e], [%[x], %[factors] + 12 * " channel \
  " + 4]\n"                                     \
  "ldr %[o], [%[x], %[factors] + 12 * " channel \
  " + 8]\n" KWS_SCALE(sum, "%[a]", "%[e]", "%[o]") "strb " sum ", [%[in], #" channel "]\n"
  FourChannels* const address = &work;
  int32_t rows;
  uint32_t s0, s1, s2, s3, x, a, e, o, in, filter, taps;
  __asm__ volatile(
      "1:\n"
      "ldr %[x], %[work]\n"
      "ldr %[in], [%[x], %[input_]]\n"
      "ldr %[filter], [%[x], %[filter_]]\n"
      "ldr %[a], [%[x], %[next_output]]\n"
      "ldr %[e], [%[x], %[rows_]]\n"
      "ldr %[s0], [%[x], %[start]]\n"
      "ldr %[s1], [%[x], %[start] + 4]\n"
      "ldr %[s2], [%[x], %[start] + 8]\n"
      "ldr %[s3], [%[x], %[start] + 12]\n"
      "ldr %[taps], [%[x], %[taps_]]\n"
      "add %[a], %[in]\n"
      "str %[a], [%[x], %[input_]]\n"
      "str %[e], %[rows]\n"
      "2:\n"
      "lsrs %[taps], #1\n"
      "bcc 3f\n"  //
      KWS_TAP
      "beq 4f\n"
      "3:\n"  //
      KWS_TAP KWS_TAP
      "subs %[taps], #1\n"
      "bne 3b\n"
      "4:\n"
      "ldr %[o], %[rows]\n"
      "ldr %[x], %[work]\n"
      "subs %[o], #1\n"
      "beq 5f\n"
      "str %[o], %[rows]\n"
      "ldr %[a], [%[x], %[next_row]]\n"
      "ldr %[e], [%[x], %[next_filter_row]]\n"
      "ldr %[taps], [%[x], %[taps_]]\n"
      "add %[in], %[a]\n"
      "add %[filter], %[e]\n"
      "b 2b\n"
      "5:\n"
      "ldr %[in], %[to]\n"  //
      KWS_OUTPUT("%[s0]", "0") KWS_OUTPUT("%[s1]", "1") KWS_OUTPUT("%[s2]", "2")
      KWS_OUTPUT("%[s3]", "3")
      "ldr %[a], [%[x], %[step]]\n"
      "ldr %[e], %[count]\n"
      "add %[in], %[a]\n"
      "str %[in], %[to]\n"
      "subs %[e], #1\n"
      "str %[e], %[count]\n"
      "bne 1b\n"
      : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [x] "=&r"(x), [a] "=&r"(a),
        [e] "=&r"(e), [o] "=&r"(o), [in] "=&r"(in), [filter] "=&r"(filter), [taps] "=&r"(taps),
        [rows] "=m"(rows), [count] "+m"(count), [to] "+m"(to)
      : [work] "m"(address), [tap_step] "r"(tap_step), [offsets] "r"(offsets),
        [input_] "I"(offsetof(FourChannels, input)), [filter_] "I"(offsetof(FourChannels, filter)),
        [start] "I"(offsetof(FourChannels, start)), [factors] "I"(offsetof(FourChannels, factors)),
        [rows_] "I"(offsetof(FourChannels, rows)), [taps_] "I"(offsetof(FourChannels, taps)),
        [next_row] "I"(offsetof(FourChannels, next_row)),
        [next_filter_row] "I"(offsetof(FourChannels, next_filter_row)),
        [next_output] "I"(offsetof(FourChannels, next_output)),
        [step] "I"(offsetof(FourChannels, step))
      : "cc", "memory");
#undef KWS_OUTPUT
#undef KWS_TAP
}

class Image {
 public:
  // A window of one column is transposed to one row.
  Image(const DepthwiseRows& work, const Sides& sides)
      : work_(work),
        rows_(sides.columns.taps == 1 ? sides.columns : sides.rows),
        columns_(sides.columns.taps == 1 ? sides.rows : sides.columns),
        filter_(reinterpret_cast<uint32_t*>(work.scratch)),
        offsets_(dsp::Pack(work.input_offset, work.input_offset)),
        tap_step_(columns_.dilation * columns_.in_step) {
    const int behind = columns_.in + columns_.pad - (columns_.taps - 1) * columns_.dilation - 1;
    inner_ = (columns_.pad + columns_.stride - 1) / columns_.stride;
    outer_ = behind < 0 ? 0 : behind / columns_.stride + 1;
    if (outer_ > columns_.out) outer_ = columns_.out;
    four_.next_output = columns_.stride * columns_.in_step;
    four_.step = columns_.out_step;
  }

  // Channels `first` to `first + 3`.
  void Run(int first) {
    for (int c = 0; c < kFour; ++c) {
      four_.start[c] = work_.Bias(first + c);
      four_.factors[c] = work_.outputs.FastFactor(first + c);
    }
    Widen(work_.filter + first);
    const int8_t* const image = work_.input + first;
    int8_t* to = work_.output + first;
    for (int y = 0; y < rows_.out; ++y) {
      RunRow(image, y * rows_.stride - rows_.pad, to);
      to += rows_.out_step;
    }
  }

 private:
  // Widens the filter and appends a tap of zeros.
  void Widen(const int8_t* row) {
    uint32_t* to = filter_;
    for (int y = rows_.taps; y > 0; --y) {
      const int8_t* tap = row;
      for (int x = columns_.taps; x > 0; --x) {
        const uint32_t weights = LoadAs<uint32_t>(tap);
        to[0] = dsp::Even(weights);
        to[1] = dsp::Odd(weights);
        to += kTapWords;
        tap += columns_.filter_step;
      }
      row += rows_.filter_step;
    }
    to[0] = 0;
    to[1] = 0;
  }

  // The outputs of a row whose windows start at row `top` of the image.
  void RunRow(const int8_t* image, int top, int8_t* to) {
    const TapRange down = ValidTaps(top, rows_.taps, rows_.dilation, rows_.in);
    for (int x = 0; x < columns_.out;) {
      const int left = x * columns_.stride - columns_.pad;
      TapRange across{0, columns_.taps};
      int count = 1;
      if (x >= inner_ && x < outer_) {
        count = outer_ - x;
      } else {
        across = ValidTaps(left, columns_.taps, columns_.dilation, columns_.in);
      }
      four_.rows = down.end - down.begin;
      four_.taps = across.end - across.begin;
      if (four_.rows == 0 || four_.taps == 0) {
        // All taps of a dilated window may be outside the image: then use the tap of zeros.
        four_.rows = 1;
        four_.taps = 1;
        four_.input = image;
        four_.filter = filter_ + kTapWords * rows_.taps * columns_.taps;
      } else {
        four_.input = image + (top + down.begin * rows_.dilation) * rows_.in_step +
                      (left + across.begin * columns_.dilation) * columns_.in_step;
        four_.filter = filter_ + kTapWords * (down.begin * columns_.taps + across.begin);
        four_.next_row = rows_.dilation * rows_.in_step - four_.taps * tap_step_;
        four_.next_filter_row =
            (columns_.taps - four_.taps) * kTapWords * static_cast<int32_t>(sizeof(uint32_t));
      }
      RunFour(four_, tap_step_, offsets_, count, to);
      to += count * columns_.out_step;
      x += count;
    }
  }

  const DepthwiseRows& work_;
  const Side& rows_;
  const Side& columns_;
  uint32_t* const filter_;
  const uint32_t offsets_;
  const int32_t tap_step_;
  // Outputs [inner_, outer_) of a row have their windows inside the image.
  int inner_;
  int outer_;
  FourChannels four_;
};

}  // namespace

void RunFourChannels(const DepthwiseRows& work, const Sides& sides) {
  Image image(work, sides);
  for (int first = 0; first < sides.channels; first += kFour) image.Run(first);
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
