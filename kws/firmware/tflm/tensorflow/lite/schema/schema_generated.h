// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_SCHEMA_SCHEMA_GENERATED_H_
#define TFLM_SCHEMA_SCHEMA_GENERATED_H_

#include "tensorflow/lite/micro/micro_interpreter.h"

#endif  // TFLM_SCHEMA_SCHEMA_GENERATED_H_
