// SPDX-License-Identifier: Apache-2.0
// SOFTMAX from int8 to int16: along the last dimension. The output has scale 1/65536 and zero point
// -32768.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/softmax.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  return PrepareSoftmax<int16_t>(context, kSoftmaxReferences + kInt16Mark);
}

}  // namespace

KWS_REGISTER_TYPE(Softmax, Int8ToInt16, Prepare, InvokeSoftmax<int16_t>)

}  // namespace kws
