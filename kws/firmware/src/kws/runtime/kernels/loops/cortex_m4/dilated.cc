// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/dilated.h"

#include "kws/runtime/kernels/loops/processor.h"

namespace kws {
namespace {

// Whether each interleaved image has a value and an output.
bool FallsApart(const Side& side) {
  return side.dilation == 1 ||
         (side.stride == 1 && side.in >= side.dilation && side.out >= side.dilation);
}

// The index in the whole image of the first value of image `phase`.
int FirstValue(const Side& side, int phase) {
  const int first = (phase - side.pad) % side.dilation;
  return first < 0 ? first + side.dilation : first;
}

// Image `phase`: outputs phase, phase + dilation, ...
Side Part(const Side& side, int phase) {
  const int n = side.dilation;
  const int first = FirstValue(side, phase);
  Side part = side;
  part.in = (side.in - first + n - 1) / n;
  part.out = (side.out - phase + n - 1) / n;
  part.dilation = 1;
  part.pad = (side.pad - phase + first) / n;
  part.in_step *= n;
  part.out_step *= n;
  return part;
}

}  // namespace

Sides WithoutDilation(const Sides& sides) {
  Sides largest = sides;
  largest.rows = Part(sides.rows, 0);
  largest.columns = Part(sides.columns, 0);
  return largest;
}

bool IsDilated(const Sides& sides) {
  const Side& rows = sides.rows;
  const Side& columns = sides.columns;
  if (!MayBeDilated(sides) || !FallsApart(rows) || !FallsApart(columns)) return false;
  Sides smallest = WithoutDilation(sides);
  smallest.columns.out = columns.out / columns.dilation;
  return IsThreeByThree(smallest) || IsThreeTaps(smallest) || IsRowTaps(smallest);
}

#if KWS_HAVE_DSP
void RunDilated(const DepthwiseRows& work, const Sides& sides) {
  const Side& rows = sides.rows;
  const Side& columns = sides.columns;
  for (int y = 0; y < rows.dilation; ++y) {
    for (int x = 0; x < columns.dilation; ++x) {
      Sides part = sides;
      part.rows = Part(rows, y);
      part.columns = Part(columns, x);
      DepthwiseRows image = work;
      image.input += FirstValue(rows, y) * rows.in_step + FirstValue(columns, x) * columns.in_step;
      image.output += y * rows.out_step + x * columns.out_step;
      if (IsThreeByThree(part)) {
        RunThreeByThree(image, part,
                        part.columns.stride == 2 ? RunThreeByThreeEveryOther : RunThreeByThreeRows);
      } else if (IsThreeTaps(part)) {
        RunThreeTaps(image, part);
      } else {
        RunDepthwiseRows(image, part);
      }
    }
  }
}
#endif

}  // namespace kws
