// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_C_C_API_TYPES_H_
#define TFLM_C_C_API_TYPES_H_

#include "tensorflow/lite/c/common.h"

#endif  // TFLM_C_C_API_TYPES_H_
