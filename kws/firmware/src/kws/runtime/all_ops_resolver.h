// SPDX-License-Identifier: Apache-2.0
// Every op: for the host and for experiments. Firmware registers only the ops of its model.
#ifndef KWS_RUNTIME_ALL_OPS_RESOLVER_H_
#define KWS_RUNTIME_ALL_OPS_RESOLVER_H_

#include "kws/runtime/op_resolver.h"

namespace kws {

class AllOpsResolver : public MicroMutableOpResolver<128> {
 public:
  AllOpsResolver() {
#define KWS_OP(Name) Add##Name();
#include "kws/runtime/kernels/op_list.inc"
#undef KWS_OP
#define KWS_ANY_TYPE(Op) Replace(kernels::k##Op##AnyType);
#include "kws/runtime/kernels/op_types.inc"
#undef KWS_ANY_TYPE
  }
  // Uses `variant` instead of its op's general kernel.
  explicit AllOpsResolver(const Registration& variant) : AllOpsResolver() { Replace(variant); }
};

}  // namespace kws

#endif  // KWS_RUNTIME_ALL_OPS_RESOLVER_H_
