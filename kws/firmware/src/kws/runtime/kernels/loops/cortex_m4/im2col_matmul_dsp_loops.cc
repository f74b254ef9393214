// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/cortex_m4/im2col_dsp_loops.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/model/flatbuffer.h"

#if KWS_HAVE_DSP && !KWS_HAVE_MVE
namespace kws {

void MultiplyIm2col(const Filters& filters, int16_t* columns, int count, int8_t* to, int32_t step) {
  const int32_t taps = filters.taps;
  const bool widens = WidensFilters(static_cast<uint32_t>(taps));
  uint32_t* const wide = reinterpret_cast<uint32_t*>(columns);
  const uint32_t* const first = Im2colColumn(columns, taps, 0);
  const int tile_words = kTile * ((taps + 3) / 4 * 2);
  Outputs outputs = filters.outputs;
  const bool fast = outputs.fast_requantize();
  const int8_t* weights = filters.weights;
  const int32_t* bias = filters.bias;
  Pair pair = {wide, wide + (taps + 3) / 4 * 4, {}, {}, to, step};
  const uint32_t* tile = first;
  const auto multiply = [&](int tiles, int8_t* place, int32_t place_step) {
    pair.to = place;
    pair.step = place_step;
    if (widens) {
      MultiplyWide(pair, tile, tiles);
    } else {
      MultiplyNarrow(pair, taps, tile, tiles);
    }
    tile += tiles * tile_words;
  };
  for (int left = filters.count; left > 0; left -= kFilters) {
    const int now = left < kFilters ? left : kFilters;
    // A single last filter is used twice; the second filter's outputs are dropped.
    const int second = now - 1;
    if (bias != nullptr) {
      pair.biases[0] = LoadAs<int32_t>(bias);
      pair.biases[1] = LoadAs<int32_t>(bias + second);
      bias += kFilters;
    }
    // A single filter that is not widened would be read past its end.
    if (fast && (widens || now == kFilters)) {
      if (widens) {
        WidenFilters(weights, weights + second * taps, taps, wide);
      } else {
        pair.weights = weights;
        pair.end = weights + taps;
      }
      pair.factors[0] = outputs.FastFactor(0);
      pair.factors[1] = outputs.FastFactor(second);
      // The other tiles have unused outputs.
      const int whole = now == kFilters ? count / kTile : 0;
      tile = first;
      if (whole > 0) multiply(whole, to, step);
      for (int column = whole * kTile; column < count; column += kTile) {
        int8_t all[kTile * kFilters];
        multiply(1, all, kFilters);
        for (int k = 0; k < kTile && column + k < count; ++k) {
          for (int i = 0; i < now; ++i) to[(column + k) * step + i] = all[k * kFilters + i];
        }
      }
    } else {
      for (int column = 0; column < count; ++column) {
        const uint32_t* at = Im2colColumn(columns, taps, column);
        for (int i = 0; i < now; ++i) {
          const int32_t sum = DotIm2colColumn(weights + i * taps, taps, at, pair.biases[i]);
          to[column * step + i] = outputs.At(i, sum);
        }
      }
    }
    to += kFilters;
    outputs.Skip(kFilters);
    weights += kFilters * taps;
  }
}

}  // namespace kws
#endif
