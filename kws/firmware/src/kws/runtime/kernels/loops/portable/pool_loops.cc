// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/pool.h"
#include "kws/runtime/kernels/loops/portable/pool.h"
#include "kws/runtime/kernels/loops/processor.h"

#if !KWS_HAVE_DSP
namespace kws {

void PoolMean(const PoolPixel& pixel, int8_t* output) {
  for (int channel = 0; channel < pixel.channels; ++channel) {
    output[channel] = MeanOfTaps(pixel, SumOfChannel(pixel, pixel.first + channel));
  }
}

void PoolLargest(const PoolPixel& pixel, int8_t* output) {
  for (int channel = 0; channel < pixel.channels; ++channel) {
    output[channel] = LargestOfChannel(pixel, pixel.first + channel);
  }
}

}  // namespace kws
#endif
