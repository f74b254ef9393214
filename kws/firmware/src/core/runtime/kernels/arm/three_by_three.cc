// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/arm/three_by_three.h"

#include <cstring>

#include "runtime/kernels/arm/three_by_three_loops.h"
#include "runtime/kernels/shared/depthwise_loops.h"

#if KWS_HAVE_DSP
namespace kws {
namespace {

void SetChannel(const DepthwiseRows& work, const Sides& sides, int channel, ThreeByThree* to) {
  to->start = work.Bias(channel);
  const int8_t* row = work.filter + channel;
  for (auto& pairs : to->weights) {
    const int16_t middle = row[sides.columns.filter_step];
    pairs[0] = dsp::Pack(row[0], middle);
    pairs[1] = dsp::Pack(middle, row[2 * sides.columns.filter_step]);
    row += sides.rows.filter_step;
  }
  const Outputs::Factor factor = work.outputs.UsualFactor(channel);
  to->multiplier = factor.multiplier;
  to->bias = factor.bias;
  to->right = factor.right;
  to->step = sides.columns.out_step;
}

}  // namespace

void RunThreeByThree(const DepthwiseRows& work, const Sides& sides) {
  const Side& rows = sides.rows;
  const Side& columns = sides.columns;
  const int row_size = sides.RowSize();
  // What is outside the image stays zero.
  const int16_t* const zeros = work.scratch;
  int16_t* const band = work.scratch + row_size;
  int16_t* const band_end = band + 3 * kFour * row_size;
  std::memset(work.scratch, 0,
              reinterpret_cast<char*>(band_end) - reinterpret_cast<char*>(work.scratch));
  ThreeByThree* const filters = reinterpret_cast<ThreeByThree*>(band_end);
  const int room = row_size - columns.pad;
  const int count = room < columns.in ? room : columns.in;
  for (int first = 0; first < sides.channels; first += kFour) {
    for (int c = 0; c < kFour; ++c) SetChannel(work, sides, first + c, &filters[c]);
    int widened = 0;  // rows of the image
    for (int y = 0; y < rows.out; ++y) {
      const int16_t* taken[3];
      for (int tap = 0; tap < 3; ++tap) {
        const int in_y = y * rows.stride - rows.pad + tap;
        if (in_y < 0 || in_y >= rows.in) {
          taken[tap] = nullptr;
          continue;
        }
        int16_t* const to = band + in_y % 3 * kFour * row_size;
        taken[tap] = to;
        if (in_y < widened) continue;
        widened = in_y + 1;
        WidenFour(work.input + first + in_y * rows.in_step, columns.in_step, count,
                  work.input_offset, to + columns.pad, row_size);
      }
      int8_t* const to = work.output + first + y * rows.out_step;
      for (int c = 0; c < kFour; ++c) {
        const int16_t* at[3];
        for (int tap = 0; tap < 3; ++tap) {
          at[tap] = taken[tap] == nullptr ? zeros : taken[tap] + c * row_size;
        }
        RunThreeByThreeRow(filters[c], at, columns.out, to + c);
      }
    }
  }
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
