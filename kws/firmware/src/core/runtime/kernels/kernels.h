// SPDX-License-Identifier: Apache-2.0
// One accessor an op, and one a variant of it: its registration, defined in the op's own file.
#ifndef KWS_RUNTIME_KERNELS_KERNELS_H_
#define KWS_RUNTIME_KERNELS_KERNELS_H_

#include "runtime/registration.h"

namespace kws {
namespace kernels {

#define KWS_OP(Name) const Registration& Name();
#include "runtime/kernels/op_list.inc"
#undef KWS_OP

#define KWS_VARIANT(Op, Name, shapes) const Registration& Name();
#include "runtime/kernels/op_variants.inc"
#undef KWS_VARIANT

}  // namespace kernels
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_KERNELS_H_
