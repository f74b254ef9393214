// SPDX-License-Identifier: Apache-2.0
// Output and clock. Weak, so that a program can define its own.
#if defined(ARDUINO)
#include <Arduino.h>
#endif

#include <cstdio>

#include "tensorflow/lite/micro/debug_log.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_time.h"
#include "tensorflow/lite/micro/system_setup.h"

#define TFLM_WEAK __attribute__((weak))

#ifndef TF_LITE_STRIP_ERROR_STRINGS

void VMicroPrintf(const char* format, va_list arguments) {
  char line[256];
  std::vsnprintf(line, sizeof(line), format, arguments);
  DebugLog(line);
  DebugLog("\r\n");
}

void MicroPrintf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  VMicroPrintf(format, arguments);
  va_end(arguments);
}

#endif

#if defined(ARDUINO)

extern "C" TFLM_WEAK void DebugLog(const char* text) { Serial.print(text); }

namespace tflite {

TFLM_WEAK uint32_t ticks_per_second() { return 1000000; }
TFLM_WEAK uint32_t GetCurrentTimeTicks() { return static_cast<uint32_t>(micros()); }

TFLM_WEAK void InitializeTarget() {
  Serial.begin(9600);
  const unsigned long start = millis();
  while (!Serial && millis() - start < 4000) {
  }
}

}  // namespace tflite

#else

extern "C" TFLM_WEAK void DebugLog(const char* text) { std::fputs(text, stderr); }

namespace tflite {

TFLM_WEAK uint32_t ticks_per_second() { return 0; }
TFLM_WEAK uint32_t GetCurrentTimeTicks() { return 0; }
TFLM_WEAK void InitializeTarget() {}

}  // namespace tflite

#endif
