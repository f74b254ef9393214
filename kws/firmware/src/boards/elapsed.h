// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_BOARDS_ELAPSED_H_
#define KWS_BOARDS_ELAPSED_H_

#include <cstdint>

namespace kws {
namespace board {

// Converts a timer's ticks to milliseconds, modulo 2^32, and keeps the remainder.
template <uint32_t kTicksPerMs>
class Elapsed {
 public:
  void Add(uint32_t ticks) {
    rest_ += ticks;
    milliseconds_ += rest_ / kTicksPerMs;
    rest_ %= kTicksPerMs;
  }
  uint32_t milliseconds() const { return milliseconds_; }

 private:
  uint32_t milliseconds_ = 0;
  uint32_t rest_ = 0;  // ticks
};

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_ELAPSED_H_
