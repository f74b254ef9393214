// SPDX-License-Identifier: Apache-2.0
// A header of TFLM; see TensorFlowLite.h.
#ifndef TFLM_MICRO_MICRO_OP_RESOLVER_H_
#define TFLM_MICRO_MICRO_OP_RESOLVER_H_

#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

#endif  // TFLM_MICRO_MICRO_OP_RESOLVER_H_
