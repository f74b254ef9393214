// SPDX-License-Identifier: Apache-2.0
// Prints a line of text: printf with DebugLog as its output.
#ifndef TFLM_MICRO_MICRO_LOG_H_
#define TFLM_MICRO_MICRO_LOG_H_

#include <cstdarg>

#include "tensorflow/lite/micro/debug_log.h"

#ifdef TF_LITE_STRIP_ERROR_STRINGS

namespace tflite {
template <typename... Arguments>
void Unused(Arguments&&...) {}
}  // namespace tflite

#define MicroPrintf(...) tflite::Unused(__VA_ARGS__)
#define VMicroPrintf(...) tflite::Unused(__VA_ARGS__)

#else

// At most 255 bytes of a line are written.
void MicroPrintf(const char* format, ...);
void VMicroPrintf(const char* format, va_list arguments);

#endif

#endif  // TFLM_MICRO_MICRO_LOG_H_
