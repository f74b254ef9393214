// SPDX-License-Identifier: Apache-2.0
// Initialization at the start of a program.
#ifndef TFLM_MICRO_SYSTEM_SETUP_H_
#define TFLM_MICRO_SYSTEM_SETUP_H_

namespace tflite {

// Arduino: opens Serial at 9600 baud, as TFLM's library does, and waits up to 4 s for a terminal.
// Elsewhere it does nothing. A program may define its own.
void InitializeTarget();

}  // namespace tflite

#endif  // TFLM_MICRO_SYSTEM_SETUP_H_
