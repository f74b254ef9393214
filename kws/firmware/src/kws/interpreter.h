// SPDX-License-Identifier: Apache-2.0
// Runs a .tflite: GetModel, MicroMutableOpResolver, MicroInterpreter. AllOpsResolver has a header
// of its own, kws/runtime/all_ops_resolver.h, because it links all kernels.
#ifndef KWS_INTERPRETER_H_
#define KWS_INTERPRETER_H_

#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model/model.h"
#include "kws/runtime/op_resolver.h"
#include "kws/status.h"

#endif  // KWS_INTERPRETER_H_
