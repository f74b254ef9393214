// SPDX-License-Identifier: Apache-2.0
// CONCATENATION, SPLIT, SPLIT_V, PACK and UNPACK.
#ifndef KWS_RUNTIME_KERNELS_SHARED_CONCAT_SPLIT_H_
#define KWS_RUNTIME_KERNELS_SHARED_CONCAT_SPLIT_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/status.h"

namespace kws {

// Concatenates all inputs along `axis` (negative: from the end) to output 0.
Status PrepareConcat(PrepareContext& context, int32_t axis);
void InvokeConcat(const InvokeContext& context);

// Splits input `whole` into all outputs along the dimension in the constant input `axis`.
Status PrepareSplit(PrepareContext& context, int whole, int axis);
void InvokeSplit(const InvokeContext& context);

// PACK: stacks all inputs of one shape to output 0, which has one more dimension, `axis`. UNPACK
// splits input 0 likewise. Invoke as the two above. Integers are copied regardless of quantization.
Status PreparePack(PrepareContext& context, int32_t axis);
Status PrepareUnpack(PrepareContext& context, int32_t axis);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_CONCAT_SPLIT_H_
