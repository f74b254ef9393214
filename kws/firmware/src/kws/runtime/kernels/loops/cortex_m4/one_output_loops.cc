// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/one_output_loops.h"

#include <cstring>

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

constexpr int kAtOnce = 16;  // channels; their sums fit in DepthwiseRowsScratch()

// The taps inside the image, along one side.
struct Taps {
  int count;
  int step;  // bytes between taps in the image
  int weight_step;

  // Advances `input` and `weights` from the window's first tap to the first tap inside.
  Taps(const Side& side, const int8_t** input, const int8_t** weights)
      : step(side.dilation * side.in_step), weight_step(side.filter_step) {
    const TapRange range = ValidTaps(-side.pad, side.taps, side.dilation, side.in);
    count = range.end - range.begin;
    *input += range.begin * step - side.pad * side.in_step;
    *weights += range.begin * weight_step;
  }
};

inline int32_t MulAddLow(uint32_t a, uint32_t b, int32_t sum) {
  return __smlabb(static_cast<int16x2_t>(a), static_cast<int16x2_t>(b), sum);
}
inline int32_t MulAddHigh(uint32_t a, uint32_t b, int32_t sum) {
  return __smlatt(static_cast<int16x2_t>(a), static_cast<int16x2_t>(b), sum);
}

// Adds the products of `count` channels with a row of taps. Not inline, so that the compiler keeps
// everything in registers.
__attribute__((noinline)) void AddRow(const Taps& row, const int8_t* input, const int8_t* weights,
                                      uint32_t offsets, int count, int32_t* sums) {
  const int32_t* const end = sums + count;
  const int step = row.step;
  const int weight_step = row.weight_step;
  const int next = kFour - row.count * step;
  const int next_weight = kFour - row.count * weight_step;
  const int8_t* stop = input + row.count * step;
  do {
    int32_t sum0 = sums[0];
    int32_t sum1 = sums[1];
    int32_t sum2 = sums[2];
    int32_t sum3 = sums[3];
    while (input != stop) {
      const uint32_t x = LoadAs<uint32_t>(input);
      const uint32_t w = LoadAs<uint32_t>(weights);
      const uint32_t x_even = dsp::AddEven(offsets, x);
      const uint32_t x_odd = dsp::AddOdd(offsets, x);
      const uint32_t w_even = dsp::Even(w);
      const uint32_t w_odd = dsp::Odd(w);
      sum0 = MulAddLow(x_even, w_even, sum0);
      sum1 = MulAddLow(x_odd, w_odd, sum1);
      sum2 = MulAddHigh(x_even, w_even, sum2);
      sum3 = MulAddHigh(x_odd, w_odd, sum3);
      input += step;
      weights += weight_step;
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
    sums += kFour;
    input += next;
    weights += next_weight;
    stop += kFour;
  } while (sums != end);
}

}  // namespace

void RunOneOutput(const DepthwiseRows& work, const Sides& sides) {
  const int8_t* input = work.input;
  const int8_t* weights = work.filter;
  // A window of one column is transposed to one row.
  const bool turned = sides.columns.taps == 1;
  const Taps rows(turned ? sides.columns : sides.rows, &input, &weights);
  const Taps row(turned ? sides.rows : sides.columns, &input, &weights);
  const uint32_t offsets = dsp::Pack(work.input_offset, work.input_offset);
  int32_t* const sums = reinterpret_cast<int32_t*>(work.scratch);
  for (int channel = 0; channel < sides.channels; channel += kAtOnce) {
    const int left = sides.channels - channel;
    const int count = left < kAtOnce ? left : kAtOnce;
    std::memset(sums, 0, kAtOnce * sizeof(int32_t));
    for (int i = 0; i < rows.count; ++i) {
      AddRow(row, input + channel + i * rows.step, weights + channel + i * rows.weight_step,
             offsets, count, sums);
    }
    work.outputs.RequantizeFast(channel, count, sums,
                                work.bias == nullptr ? nullptr : work.bias + channel,
                                work.output + channel);
  }
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
