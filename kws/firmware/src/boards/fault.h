// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_BOARDS_FAULT_H_
#define KWS_BOARDS_FAULT_H_

#include <cstdint>

namespace kws {

// Why the firmware stopped. The value is the number of blinks of the board's LED between pauses.
enum class Fault : uint8_t {
  kModel = 2,       // the model or its settings; needs another firmware
  kMicrophone = 3,  // it did not start, or samples stopped
  kProcessor = 4,   // a processor fault, such as a stack overflow
};

}  // namespace kws

#endif  // KWS_BOARDS_FAULT_H_
