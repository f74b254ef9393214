// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/depthwise_loops.h"

#include <cstring>

#include "runtime/kernels/arm/dsp.h"
#include "runtime/kernels/shared/fixed_point.h"
#include "runtime/model/flatbuffer.h"

namespace kws {
namespace {

// Sixteen bytes of anything, which the compiler moves with two instructions.
struct __attribute__((may_alias)) Chunk {
  uint32_t words[4];
};
static_assert(sizeof(Chunk) == kChunk * sizeof(int16_t), "a chunk is eight values");

#if KWS_HAVE_DSP
inline void StorePair(int16_t* to, uint32_t pair) { std::memcpy(to, &pair, sizeof(pair)); }
#endif

}  // namespace

void MoveChunks(const int16_t* from, int chunks, int16_t* to) {
  const Chunk* source = reinterpret_cast<const Chunk*>(from);
  Chunk* target = reinterpret_cast<Chunk*>(to);
  for (int i = chunks; i > 0; --i) *target++ = *source++;
}

void WidenOne(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
              int32_t /*lane_size*/) {
#if KWS_HAVE_DSP
  if (step == 1) {
    const uint32_t offsets = dsp::Pack(offset, offset);
    for (; count >= 4; count -= 4) {
      const uint32_t bytes = LoadAs<uint32_t>(from);
      const uint32_t even = dsp::AddEven(offsets, bytes);
      const uint32_t odd = dsp::AddOdd(offsets, bytes);
      dsp::StoreTwo(to, dsp::PackLow(even, odd), dsp::PackHigh(even, odd));
      from += 4;
      to += 4;
    }
  }
#endif
#pragma GCC unroll 4
  for (int i = count; i > 0; --i) {
    *to++ = static_cast<int16_t>(*from + offset);
    from += step;
  }
}

void WidenFour(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
               int32_t lane_size) {
#if KWS_HAVE_DSP
  const uint32_t offsets = dsp::Pack(offset, offset);
  int16_t* const to2 = to + 2 * lane_size;
  int32_t at = 0;
  // Pairs are stored at even places only: others would take a cycle more each.
  bool even_place = (reinterpret_cast<uintptr_t>(to) & 2) == 0;
  while (count > 0) {
    const uint32_t x = LoadAs<uint32_t>(from);
    const uint32_t x_even = dsp::AddEven(offsets, x);
    const uint32_t x_odd = dsp::AddOdd(offsets, x);
    if (even_place && count > 1) {
      const uint32_t y = LoadAs<uint32_t>(from + step);
      const uint32_t y_even = dsp::AddEven(offsets, y);
      const uint32_t y_odd = dsp::AddOdd(offsets, y);
      StorePair(to + at, dsp::PackLow(x_even, y_even));
      StorePair(to + at + lane_size, dsp::PackLow(x_odd, y_odd));
      StorePair(to2 + at, dsp::PackHigh(x_even, y_even));
      StorePair(to2 + at + lane_size, dsp::PackHigh(x_odd, y_odd));
      from += 2 * step;
      at += 2;
      count -= 2;
    } else {
      to[at] = static_cast<int16_t>(x_even);
      to[at + lane_size] = static_cast<int16_t>(x_odd);
      to2[at] = static_cast<int16_t>(x_even >> 16);
      to2[at + lane_size] = static_cast<int16_t>(x_odd >> 16);
      from += step;
      at += 1;
      count -= 1;
      even_place = true;
    }
  }
#else
  for (int i = 0; i < kFour; ++i) {
    WidenOne(from + i, step, count, offset, to + i * lane_size, lane_size);
  }
#endif
}

int32_t SumOfPairs(const int16_t* band, int row_size, const int16_t* filter, int pairs, int rows,
                   int32_t sum) {
  for (; rows > 0; --rows) {
    const int16_t* at = band;
    for (int i = pairs; i > 0; --i) {
#if KWS_HAVE_DSP
      sum = dsp::MulAddPairs(LoadAs<uint32_t>(filter), LoadAs<uint32_t>(at), sum);
#else
      sum = WrappingAdd(sum, filter[0] * at[0] + filter[1] * at[1]);
#endif
      filter += 2;
      at += 2;
    }
    band += row_size;
  }
  return sum;
}

}  // namespace kws
