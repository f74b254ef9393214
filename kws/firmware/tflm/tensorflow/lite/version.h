// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_VERSION_H_
#define TFLM_VERSION_H_

#include "tensorflow/lite/micro/micro_interpreter.h"

#endif  // TFLM_VERSION_H_
