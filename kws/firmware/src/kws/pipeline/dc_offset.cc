// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/dc_offset.h"

namespace kws {

void DcOffset::Remove(int16_t* samples, size_t count) {
  int32_t sum = 0;  // 2^15 samples of 16 bits fit
  int32_t least = samples[0];
  int32_t most = samples[0];
  for (size_t i = 0; i < count; ++i) {
    sum += samples[i];
    least = samples[i] < least ? samples[i] : least;
    most = samples[i] > most ? samples[i] : most;
  }
  // `count` is at least 1. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  if (!has_block_ && (least > 0 || most < 0)) mean_ = sum / static_cast<int32_t>(count) * kOne;
  has_block_ = true;

  const int32_t subtracted = offset();
  for (size_t i = 0; subtracted != 0 && i < count; ++i) {
    const int32_t centred = samples[i] - subtracted;
    samples[i] = static_cast<int16_t>(centred > 32767    ? 32767
                                      : centred < -32768 ? -32768
                                                         : centred);
  }
  // One pole, 2^-16 per sample, updated per block.
  mean_ +=
      sum - static_cast<int32_t>(static_cast<int64_t>(mean_) * static_cast<int64_t>(count) / kOne);
}

}  // namespace kws
