// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_MICRO_MICRO_RESOURCE_VARIABLE_H_
#define TFLM_MICRO_MICRO_RESOURCE_VARIABLE_H_

#include "tensorflow/lite/micro/recording_micro_allocator.h"

#endif  // TFLM_MICRO_MICRO_RESOURCE_VARIABLE_H_
