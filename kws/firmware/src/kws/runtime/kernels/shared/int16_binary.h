// SPDX-License-Identifier: Apache-2.0
// Element-wise ops of two int16 tensors with zero points 0, with broadcasting.
#ifndef KWS_RUNTIME_KERNELS_SHARED_INT16_BINARY_H_
#define KWS_RUNTIME_KERNELS_SHARED_INT16_BINARY_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/broadcast.h"
#include "kws/runtime/kernels/shared/fixed_point.h"

namespace kws {

// Reads and checks the tensors.
Status ReadInt16Binary(const PrepareContext& context, BinaryOp* op);

// Prepare and invoke of ADD and SUB.
Status PrepareInt16Sum(PrepareContext& context, bool subtract);
void InvokeInt16Sum(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_INT16_BINARY_H_
