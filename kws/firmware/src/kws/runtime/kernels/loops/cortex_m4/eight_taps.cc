// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/eight_taps.h"

#include <cstring>

#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/loops/processor.h"

#if KWS_HAVE_DSP
namespace kws {

void RunEightTapsRows(const DepthwiseRows& work, const Sides& sides) {
  const Side& rows = sides.rows;
  const Side& columns = sides.columns;
  const int row_size = sides.Covered();
  int16_t* const buffer = work.scratch;
  int16_t* const filters = buffer + rows.taps * row_size;
  // Padding stays zero.
  std::memset(buffer, 0, reinterpret_cast<char*>(filters) - reinterpret_cast<char*>(buffer));
  const int room = row_size - columns.pad;
  const int count = room < columns.in ? room : columns.in;
  const int groups = (sides.multiplier + kEightTapsFilters - 1) / kEightTapsFilters;
  EightTaps row;
  row.step = columns.out_step;
  for (int c = 0; c < sides.channels; ++c) {
    int laid_out = -1;
    int widened = 0;  // rows of the image
    int8_t* to = work.output;
    for (int y = 0; y < rows.out; ++y) {
      const int origin = y * rows.stride - rows.pad;
      const TapRange taps = ValidTaps(origin, rows.taps, rows.in);
      if (widened < origin) widened = origin;
      for (; widened < origin + taps.end; ++widened) {
        WidenOne(work.input + c + widened * rows.in_step, columns.in_step, count, work.input_offset,
                 buffer + widened % rows.taps * row_size + columns.pad, 0);
      }
      const int place = (origin + taps.begin) % rows.taps;
      // The ring wraps after the last row in memory.
      const int last = taps.begin + rows.taps - 1 - place;
      const int32_t turn = last < taps.end - 1 ? rows.taps * row_size * 2 : 0;
      int32_t* const next = reinterpret_cast<int32_t*>(filters + (last + 1) * kEightTapsRow) - 1;
      row.rows = taps.end - taps.begin;
      row.filter = filters + taps.begin * kEightTapsRow;
      for (int i = 0; i < groups; ++i) {
        // Alternating direction, so that the last filters of a row are reused for the next row. The
        // last four filters may include filters that were computed before.
        int first = ((y & 1) != 0 ? groups - 1 - i : i) * kEightTapsFilters;
        const int most = sides.multiplier - kEightTapsFilters;
        if (first > most) first = most;
        const int channel = c * sides.multiplier + first;
        if (laid_out != first) {
          laid_out = first;
          PackEightTaps(work.filter + channel, columns.filter_step, rows.taps, row_size, filters);
          for (int k = 0; k < kEightTapsFilters; ++k) {
            row.start[k] = work.Bias(channel + k);
            row.factors[k] = work.outputs.FastFactor(channel + k);
          }
        }
        row.buffer = buffer + place * row_size;
        if (turn != 0) *next -= turn;
        RunEightTaps(row, columns.out / 2, to + channel);
        if ((columns.out & 1) != 0) {
          // The last output, together with its neighbour, which was computed before.
          row.buffer -= columns.stride;
          RunEightTaps(row, 1, to + channel + (columns.out - 2) * columns.out_step);
        }
        if (turn != 0) *next += turn;
      }
      to += rows.out_step;
    }
  }
}

}  // namespace kws
#endif  // KWS_HAVE_DSP
