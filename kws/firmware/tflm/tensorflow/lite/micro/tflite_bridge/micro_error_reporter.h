// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_MICRO_TFLITE_BRIDGE_MICRO_ERROR_REPORTER_H_
#define TFLM_MICRO_TFLITE_BRIDGE_MICRO_ERROR_REPORTER_H_

#include "tensorflow/lite/micro/micro_error_reporter.h"

#endif  // TFLM_MICRO_TFLITE_BRIDGE_MICRO_ERROR_REPORTER_H_
