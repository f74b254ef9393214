// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_FAULT_H_
#define KWS_FAULT_H_

#include <cstdint>

namespace kws {

// What stopped the firmware. The value is how often the board's LED blinks between pauses.
enum class Fault : uint8_t {
  kModel = 2,       // the model or its settings; only another firmware helps
  kMicrophone = 3,  // it did not start, or its samples stopped
  kProcessor = 4,   // a fault of the core, such as a stack overflow
};

}  // namespace kws

#endif  // KWS_FAULT_H_
