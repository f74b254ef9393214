// SPDX-License-Identifier: Apache-2.0
// Prints errors in programs for older versions of TFLM.
#ifndef TFLM_MICRO_MICRO_ERROR_REPORTER_H_
#define TFLM_MICRO_MICRO_ERROR_REPORTER_H_

#include <cstdarg>

#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {

class ErrorReporter {
 public:
  virtual int Report(const char* format, va_list arguments) = 0;
  int Report(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = Report(format, arguments);
    va_end(arguments);
    return result;
  }

 protected:
  ~ErrorReporter() = default;
};

// Prints with MicroPrintf.
class MicroErrorReporter final : public ErrorReporter {
 public:
  using ErrorReporter::Report;
  int Report(const char* format, va_list arguments) override {
    VMicroPrintf(format, arguments);
    return 0;
  }
};

}  // namespace tflite

#ifdef TF_LITE_STRIP_ERROR_STRINGS
#define TF_LITE_REPORT_ERROR(reporter, ...) tflite::Unused(reporter, __VA_ARGS__)
#else
#define TF_LITE_REPORT_ERROR(reporter, ...) (reporter)->Report(__VA_ARGS__)
#endif

#endif  // TFLM_MICRO_MICRO_ERROR_REPORTER_H_
