// SPDX-License-Identifier: Apache-2.0
// TFLM's op resolver. Each op is registered by name, so that the linker drops the kernels of other
// ops.
#ifndef KWS_RUNTIME_OP_RESOLVER_H_
#define KWS_RUNTIME_OP_RESOLVER_H_

#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/registration.h"
#include "kws/status.h"

namespace kws {

// Room for N ops (at most 255). Adding an op twice has no effect.
template <int N>
class MicroMutableOpResolver : public OpResolver {
 public:
  MicroMutableOpResolver() : OpResolver(storage_, N) {}

#define KWS_OP(Name) \
  Status Add##Name() { return Add(kernels::k##Name); }
#include "kws/runtime/kernels/op_list.inc"
#undef KWS_OP

  // A kernel for some shapes of an op; AllocateTensors fails for other shapes.
#define KWS_VARIANT(Op, Name, shapes) \
  Status Add##Name() { return Add(kernels::k##Name); }
#include "kws/runtime/kernels/op_variants.inc"
#undef KWS_VARIANT

  // The kernels of all types of an op.
#define KWS_ANY_TYPE(Op) \
  Status Add##Op##AnyType() { return Add(kernels::k##Op##AnyType); }
#include "kws/runtime/kernels/op_types.inc"
#undef KWS_ANY_TYPE

 private:
  static_assert(N > 0 && N <= 255, "an op's place in the resolver is kept in one byte");
  const Registration* storage_[N];
};

}  // namespace kws

#endif  // KWS_RUNTIME_OP_RESOLVER_H_
