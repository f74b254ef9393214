// SPDX-License-Identifier: Apache-2.0
// Ops by the schema's names, for programs that call AddBuiltin.
#ifndef TFLM_MICRO_KERNELS_MICRO_OPS_H_
#define TFLM_MICRO_KERNELS_MICRO_OPS_H_

#include "kws/runtime/kernels/kernels.h"

namespace tflite {

enum BuiltinOperator {
#define TFLM_OP(NAME, Name) BuiltinOperator_##NAME = static_cast<int>(kws::BuiltinOp::k##Name),
#include "tensorflow/lite/micro/kernels/op_names.inc"
#undef TFLM_OP
};

#define TFLM_OP(NAME, Name) \
  inline const kws::Registration* Register_##NAME() { return &kws::kernels::k##Name; }
#include "tensorflow/lite/micro/kernels/op_names.inc"
#undef TFLM_OP

namespace ops {
namespace micro {
#define TFLM_OP(NAME, Name) using tflite::Register_##NAME;
#include "tensorflow/lite/micro/kernels/op_names.inc"
#undef TFLM_OP
}  // namespace micro
}  // namespace ops

}  // namespace tflite

#endif  // TFLM_MICRO_KERNELS_MICRO_OPS_H_
