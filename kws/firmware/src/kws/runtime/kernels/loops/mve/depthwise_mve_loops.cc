// SPDX-License-Identifier: Apache-2.0
// A window is three columns of three values. The buffer holds, for each column and channel, a word:
// the values of the three rows under the window, then a byte that is multiplied by 0. Four
// neighbouring columns of a channel are a register, and two neighbouring outputs its products with
// the filter's three words followed, or preceded, by a word of zeros.
//
// Values keep their zero point, as in dot_mve_loops.cc.
#include "kws/runtime/kernels/loops/mve/depthwise_mve_loops.h"

#include <cstring>

#include "kws/runtime/kernels/loops/mve/mve.h"

#if KWS_HAVE_MVE
namespace kws {
namespace mve {
namespace {

constexpr int kChannels = 16;
constexpr int kTaps = 3;
constexpr int kWord = 4;
constexpr int kColumn = kWord * kChannels;  // bytes of the buffer

// Four channels.
struct Four {
  int32x4_t start;
  int32x4_t multiplier;
  int32x4_t shift;  // negative: to the right
  int32_t offset;
  const int8_t* weights;
};

// A row of `count` (>= 2) outputs of each channel, two at a time; an odd number's last output is
// computed together with the one before. `places`: addresses of the first channel's first four
// columns. Equivalent to
//
//   for (int x = 0; x < count; x += 2) {
//     if (x == count - 1) go back to count - 2;
//     for (int c = 0; c < 4; ++c) {
//       const int8x16_t values = the four words at places + x * kColumn + 4 * c;
//       first[c] = the sum of values * (the 16 weights from 16 * c + 4 on);
//       second[c] = the sum of values * (the 16 weights from 16 * c on);
//     }
//     to[x * step + c] = requantized first[c] + start[c];
//     to[(x + 1) * step + c] = requantized second[c] + start[c];
//   }
//
// In assembly, because the compiler keeps addresses and vectors in memory.
inline void RunFour(const Four& four, uint32x4_t places, int count, int8_t* to, int32_t step) {
  // clang-format off
#define KWS_CHANNEL(in, after, before, first, second) \
  "vldrw.u32 q0, [%q[places], #" in "]\n" \
  "vldrb.u8 q1, [%[weights], #" after "]\n" \
  "vmladav.s8 " first ", q0, q1\n" \
  "vldrb.u8 q1, [%[weights], #" before "]\n" \
  "vmladav.s8 " second ", q0, q1\n"
#define KWS_OUTPUTS(sums) \
  "vadd.i32 " sums ", " sums ", %q[start]\n" \
  "vqrdmulh.s32 " sums ", " sums ", %q[multiplier]\n" \
  "vshr.s32 q0, " sums ", #31\n"  /* as in DivideByPowerOfTwo */ \
  "vadd.i32 " sums ", " sums ", q0\n" \
  "vrshl.s32 " sums ", " sums ", %q[shift]\n" \
  "vadd.i32 " sums ", " sums ", %[offset]\n" \
  "vqmovnb.s32 " sums ", " sums "\n" \
  "vqmovnb.s16 " sums ", " sums "\n" \
  "vstrb.32 " sums ", [%[to]]\n" \
  "add %[to], %[step]\n"
  int32_t a, b, c, d;
  __asm__ volatile(
      "1:\n"
      KWS_CHANNEL("0", "4", "0", "%[a]", "%[b]")
      KWS_CHANNEL("8", "36", "32", "%[c]", "%[d]")
      "vmov q2[2], q2[0], %[a], %[c]\n"
      "vmov q3[2], q3[0], %[b], %[d]\n"
      KWS_CHANNEL("4", "20", "16", "%[a]", "%[b]")
      KWS_CHANNEL("12", "52", "48", "%[c]", "%[d]")
      "vmov q2[3], q2[1], %[a], %[c]\n"
      "vmov q3[3], q3[1], %[b], %[d]\n"
      KWS_OUTPUTS("q2")
      KWS_OUTPUTS("q3")
      "vadd.i32 %q[places], %q[places], %[two]\n"
      "subs %[count], #2\n"
      "beq 2f\n"
      "cmp %[count], #1\n"
      "bgt 1b\n"
      "mov %[a], %[column]\n"
      "vsub.i32 %q[places], %q[places], %[a]\n"
      "sub %[to], %[step]\n"
      "mov %[count], #2\n"
      "b 1b\n"
      "2:\n"
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [places] "+w"(places),
        [count] "+r"(count), [to] "+r"(to)
      : [weights] "r"(four.weights), [start] "w"(four.start), [multiplier] "w"(four.multiplier),
        [shift] "w"(four.shift), [offset] "r"(four.offset), [step] "r"(step),
        [two] "r"(2 * kColumn), [column] "I"(kColumn)
      : "cc", "memory", "q0", "q1", "q2", "q3");
  // clang-format on
#undef KWS_OUTPUTS
#undef KWS_CHANNEL
}

class Image {
 public:
  // Rows of outputs lie along `across`.
  Image(const DepthwiseRows& work, const Side& across, const Side& down)
      : work_(work),
        across_(across),
        down_(down),
        start_(reinterpret_cast<int32_t*>(work.scratch)),
        weights_(reinterpret_cast<int8_t*>(start_ + kChannels)),
        columns_(reinterpret_cast<uint8_t*>(weights_ + kWord * (kWord * kChannels + 1))) {}

  uint32_t ScratchBytes() const {
    return static_cast<uint32_t>(columns_ - reinterpret_cast<uint8_t*>(start_) +
                                 Columns() * kColumn);
  }

  // Channels `first` to `first + count - 1`; `count` is a multiple of 4.
  void Run(int first, int count) {
    const mve_pred16_t used = vctp8q(static_cast<uint32_t>(count));
    Pack(work_.filter + first, first, count);
    std::memset(columns_, Padding(), static_cast<size_t>(Columns() * kColumn));
    int8_t* to = work_.output + first;
    int next = -down_.pad;
    for (int y = 0; y < down_.out; ++y) {
      for (; next < y * down_.stride - down_.pad + kTaps; ++next) {
        Append(work_.input + first, next, used);
      }
      for (int c = 0; c < count; c += kLanes) Write(c, first, to + c);
      to += down_.out_step;
    }
  }

 private:
  int Columns() const { return across_.out + kTaps - 1; }
  int Padding() const { return -work_.input_offset; }

  // A channel's filter takes four words of `weights_`: zeros, then a word per column. So zeros also
  // follow it.
  void Pack(const int8_t* filter, int first, int count) {
    std::memset(weights_, 0, static_cast<size_t>(kWord * (kWord * count + 1)));
    for (int c = 0; c < count; ++c) {
      uint32_t sum = 0;
      for (int x = 0; x < kTaps; ++x) {
        for (int y = 0; y < kTaps; ++y) {
          const int8_t weight = filter[c + y * down_.filter_step + x * across_.filter_step];
          weights_[kWord * (kWord * c + 1 + x) + y] = weight;
          sum += static_cast<uint32_t>(weight);
        }
      }
      start_[c] = static_cast<int32_t>(static_cast<uint32_t>(work_.Bias(first + c)) +
                                       static_cast<uint32_t>(work_.input_offset) * sum);
    }
  }

  // Moves the columns' values by a row, and appends the image's `row`.
  void Append(const int8_t* input, int row, mve_pred16_t used) {
    int end = across_.pad + across_.in;
    if (end > Columns()) end = Columns();
    alignas(kChannels) uint8_t outside[kChannels];
    vstrbq_u8(outside, vdupq_n_u8(static_cast<uint8_t>(Padding())));
    const uint8_t* from = outside;
    int32_t step = 0;
    if (row >= 0 && row < down_.in) {
      from = reinterpret_cast<const uint8_t*>(input) + row * down_.in_step;
      step = across_.in_step;
    }
    uint8_t* column = columns_ + across_.pad * kColumn;
    for (int x = end - across_.pad; x > 0; --x) {
      const uint8x16_t values = vldrbq_z_u8(from, used);
      const uint8x16x4_t rows = vld4q_u8(column);
      const uint8x16x4_t moved = {{rows.val[1], rows.val[2], values, values}};
      vst4q_u8(column, moved);
      from += step;
      column += kColumn;
    }
  }

  // The outputs of four channels in a row.
  void Write(int channel, int first, int8_t* to) const {
    const OutputStage& stage = work_.outputs.stage();
    const bool each = stage.channel_step != 0;
    const int32_t* const multipliers = work_.outputs.multipliers();
    const int8_t* const shifts = work_.outputs.shifts();
    Four four;
    four.multiplier = each ? vldrwq_s32(multipliers + first + channel) : vdupq_n_s32(*multipliers);
    four.shift = each ? vldrbq_s32(shifts + first + channel) : vdupq_n_s32(*shifts);
    four.start = vldrwq_s32(start_ + channel);
    four.offset = stage.offset;
    four.weights = weights_ + kWord * kWord * channel;
    const uint32_t columns = reinterpret_cast<uintptr_t>(columns_ + kWord * channel);
    const uint32x4_t places = vaddq_n_u32(vmulq_n_u32(vidupq_n_u32(0, 1), kColumn), columns);
    RunFour(four, places, across_.out, to, across_.out_step);
  }

  const DepthwiseRows& work_;
  const Side& across_;
  const Side& down_;
  // In the scratch memory:
  int32_t* const start_;    // of each channel's sums
  int8_t* const weights_;   // four words per channel, and one
  uint8_t* const columns_;  // a word per column and channel
};

}  // namespace

bool RunThreeByThree(const DepthwiseRows& work, const Sides& sides, uint32_t scratch) {
  const bool turned = sides.rows.out < sides.columns.out;
  const Side& across = turned ? sides.rows : sides.columns;
  Image image(work, across, turned ? sides.columns : sides.rows);
  if (across.stride != 1 || across.out < 2 || image.ScratchBytes() > scratch) return false;
  for (int first = 0; first < sides.channels; first += kChannels) {
    const int left = sides.channels - first;
    image.Run(first, left < kChannels ? left : kChannels);
  }
  return true;
}

}  // namespace mve
}  // namespace kws
#endif  // KWS_HAVE_MVE
