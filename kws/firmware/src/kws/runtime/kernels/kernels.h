// SPDX-License-Identifier: Apache-2.0
// The registration of each op and of each variant, defined in the op's file. Compiled models call
// `invoke` and `reset` instead, so that the linker drops `prepare`.
#ifndef KWS_RUNTIME_KERNELS_KERNELS_H_
#define KWS_RUNTIME_KERNELS_KERNELS_H_

#include "kws/runtime/registration.h"

namespace kws {
namespace kernels {

#define KWS_OP(Name)                        \
  extern const Registration k##Name;        \
  namespace invoke {                        \
  void Name(const InvokeContext& context);  \
  }                                         \
  namespace reset { /* stateful ops only */ \
  void Name(const InvokeContext& context);  \
  }
#define KWS_VARIANT(Op, Name, shapes) KWS_OP(Name)
#define KWS_ANY_TYPE(Op) KWS_OP(Op##AnyType)
#include "kws/runtime/kernels/op_list.inc"
#include "kws/runtime/kernels/op_types.inc"
#include "kws/runtime/kernels/op_variants.inc"
#undef KWS_ANY_TYPE
#undef KWS_VARIANT
#undef KWS_OP

}  // namespace kernels
}  // namespace kws

// Defines them for an op.
#define KWS_REGISTER(Name, prepare, run)                                     \
  constexpr Registration kernels::k##Name{BuiltinOp::k##Name, prepare, run}; \
  void kernels::invoke::Name(const InvokeContext& context) { run(context); }

// Defines the kernel of an op for one type, such as AddFloat32.
#define KWS_REGISTER_TYPE(Op, Type, prepare, run)                              \
  constexpr Registration kernels::k##Op##Type{BuiltinOp::k##Op, prepare, run}; \
  void kernels::invoke::Op##Type(const InvokeContext& context) { run(context); }

#define KWS_REGISTER_STATEFUL(Name, prepare, run, clear)                            \
  constexpr Registration kernels::k##Name{BuiltinOp::k##Name, prepare, run, clear}; \
  void kernels::invoke::Name(const InvokeContext& context) { run(context); }        \
  void kernels::reset::Name(const InvokeContext& context) { clear(context); }

#endif  // KWS_RUNTIME_KERNELS_KERNELS_H_
