// SPDX-License-Identifier: Apache-2.0
// SOFTMAX, int8: along the last dimension. The output has scale 1/256 and zero point -128.
#include "kws/runtime/kernels/shared/softmax.h"

#include "kws/runtime/kernels/kernels.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  return PrepareSoftmax<int8_t>(context, kSoftmaxReferences);
}

}  // namespace

KWS_REGISTER(Softmax, Prepare, InvokeSoftmax<int8_t>)

}  // namespace kws
