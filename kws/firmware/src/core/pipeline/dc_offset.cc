// SPDX-License-Identifier: Apache-2.0
#include "pipeline/dc_offset.h"

namespace kws {

void DcOffset::Seed(const int16_t* samples, size_t count) {
  if (count == 0) return;
  int32_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += samples[i];
  mean_ = sum / static_cast<int32_t>(count) * kOne;
}

void DcOffset::Remove(int16_t* samples, size_t count) {
  const int32_t subtracted = offset();
  int32_t sum = 0;  // of 2^15 samples of 16 bits: it fits
  for (size_t i = 0; i < count; ++i) {
    sum += samples[i];
    const int32_t centred = samples[i] - subtracted;
    samples[i] = static_cast<int16_t>(centred > 32767    ? 32767
                                      : centred < -32768 ? -32768
                                                         : centred);
  }
  // One pole, 2^-16 a sample, once a block.
  mean_ +=
      sum - static_cast<int32_t>(static_cast<int64_t>(mean_) * static_cast<int64_t>(count) / kOne);
}

}  // namespace kws
