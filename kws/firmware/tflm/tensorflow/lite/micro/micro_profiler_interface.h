// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_MICRO_MICRO_PROFILER_INTERFACE_H_
#define TFLM_MICRO_MICRO_PROFILER_INTERFACE_H_

#include "tensorflow/lite/micro/micro_profiler.h"

#endif  // TFLM_MICRO_MICRO_PROFILER_INTERFACE_H_
