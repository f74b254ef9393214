// SPDX-License-Identifier: Apache-2.0
// What each op and each variant of one has for others, defined in the op's own file: its
// registration, and for compiled models what runs of it, so that the linker leaves out its prepare.
#ifndef KWS_RUNTIME_KERNELS_KERNELS_H_
#define KWS_RUNTIME_KERNELS_KERNELS_H_

#include "runtime/registration.h"

namespace kws {
namespace kernels {

#define KWS_OP(Name)                       \
  const Registration& Name();              \
  namespace invoke {                       \
  void Name(const InvokeContext& context); \
  }                                        \
  namespace reset { /* of ops that have */ \
  void Name(const InvokeContext& context); \
  }
#define KWS_VARIANT(Op, Name, shapes) KWS_OP(Name)
#include "runtime/kernels/op_list.inc"
#include "runtime/kernels/op_variants.inc"
#undef KWS_VARIANT
#undef KWS_OP

}  // namespace kernels
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_KERNELS_H_
