// SPDX-License-Identifier: Apache-2.0
// Every op there is: for the host and for first tries. Firmware registers what its model uses.
#ifndef KWS_RUNTIME_ALL_OPS_RESOLVER_H_
#define KWS_RUNTIME_ALL_OPS_RESOLVER_H_

#include "runtime/op_resolver.h"

namespace kws {

class AllOpsResolver : public MicroMutableOpResolver<64> {
 public:
  AllOpsResolver() {
#define KWS_OP(Name) Add##Name();
#include "runtime/kernels/op_list.inc"
#undef KWS_OP
  }
  // With a variant in place of its op.
  explicit AllOpsResolver(const Registration& variant) : AllOpsResolver() { Replace(variant); }
};

}  // namespace kws

#endif  // KWS_RUNTIME_ALL_OPS_RESOLVER_H_
