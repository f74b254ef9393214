// SPDX-License-Identifier: Apache-2.0
// One output pixel of a pooling op.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_POOL_H_
#define KWS_RUNTIME_KERNELS_LOOPS_POOL_H_

#include <cstdint>

namespace kws {

// The taps inside the image, at least one; neighbours in a row are `channels` bytes apart.
struct PoolPixel {
  const int8_t* first;
  int height;
  int width;
  int channels;
  int row_bytes;
  int8_t min;  // the fused activation's range
  int8_t max;
};

// Write `channels` outputs.
void PoolMean(const PoolPixel& pixel, int8_t* output);
void PoolLargest(const PoolPixel& pixel, int8_t* output);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_POOL_H_
