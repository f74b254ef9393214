// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_CORE_API_ERROR_REPORTER_H_
#define TFLM_CORE_API_ERROR_REPORTER_H_

#include "tensorflow/lite/micro/micro_error_reporter.h"

#endif  // TFLM_CORE_API_ERROR_REPORTER_H_
