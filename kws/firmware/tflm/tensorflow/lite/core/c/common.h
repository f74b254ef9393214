// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_CORE_C_COMMON_H_
#define TFLM_CORE_C_COMMON_H_

#include "tensorflow/lite/c/common.h"

#endif  // TFLM_CORE_C_COMMON_H_
