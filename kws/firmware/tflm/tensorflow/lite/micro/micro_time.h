// SPDX-License-Identifier: Apache-2.0
// The clock of MicroProfiler. A program may define both functions; by default they use Arduino's
// micros(), and elsewhere return 0.
#ifndef TFLM_MICRO_MICRO_TIME_H_
#define TFLM_MICRO_MICRO_TIME_H_

#include <cstdint>

namespace tflite {

uint32_t ticks_per_second();
uint32_t GetCurrentTimeTicks();

inline uint32_t TicksToMs(uint32_t ticks) {
  const uint32_t rate = ticks_per_second();
  return rate == 0 ? 0 : static_cast<uint32_t>(1000ull * ticks / rate);
}

}  // namespace tflite

#endif  // TFLM_MICRO_MICRO_TIME_H_
