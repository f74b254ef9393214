// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/lines.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {
namespace {

// The compiler moves sixteen bytes with two instructions.
struct __attribute__((may_alias)) Chunk {
  uint32_t words[4];
};
static_assert(sizeof(Chunk) == kChunk * sizeof(int16_t), "a chunk is eight values");

}  // namespace

// For all processors.
void MoveChunks(const int16_t* from, int chunks, int16_t* to) {
  const Chunk* source = reinterpret_cast<const Chunk*>(from);
  Chunk* target = reinterpret_cast<Chunk*>(to);
  for (int i = chunks; i > 0; --i) *target++ = *source++;
}

#if !KWS_HAVE_DSP
void WidenOne(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
              int32_t /*lane_size*/) {
#pragma GCC unroll 4
  for (int i = count; i > 0; --i) {
    *to++ = static_cast<int16_t>(*from + offset);
    from += step;
  }
}

void WidenFour(const int8_t* from, int step, int count, int32_t offset, int16_t* to,
               int32_t lane_size) {
  for (int i = 0; i < kFour; ++i) {
    WidenOne(from + i, step, count, offset, to + i * lane_size, lane_size);
  }
}

int32_t SumOfPairs(const int16_t* buffer, int row_size, const int16_t* filter, int pairs, int rows,
                   int32_t sum) {
  for (; rows > 0; --rows) {
    const int16_t* at = buffer;
    for (int i = pairs; i > 0; --i) {
      sum = WrappingAdd(sum, filter[0] * at[0] + filter[1] * at[1]);
      filter += 2;
      at += 2;
    }
    buffer += row_size;
  }
  return sum;
}
#endif  // !KWS_HAVE_DSP

}  // namespace kws
