// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/shared/depthwise_loops.h"

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

}  // namespace

void MoveChunks(const int16_t* from, int chunks, int16_t* to) {
  const Chunk* source = reinterpret_cast<const Chunk*>(from);
  Chunk* target = reinterpret_cast<Chunk*>(to);
  for (int i = chunks; i > 0; --i) *target++ = *source++;
}

void Widen(const int8_t* from, int step, int count, int32_t offset, int16_t* to) {
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
