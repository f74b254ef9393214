// SPDX-License-Identifier: Apache-2.0
// One kernel for all types of an op. Its prepare tries the type's kernels in order. Its invoke
// tells whose record it gets from the number of data references: kernel i has i more than the first
// one.
#ifndef KWS_RUNTIME_KERNELS_SHARED_ANY_TYPE_H_
#define KWS_RUNTIME_KERNELS_SHARED_ANY_TYPE_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/registration.h"

namespace kws {

// Data references that a kernel adds to those of its op's int8 kernel.
constexpr int kFloat32Mark = 1;
constexpr int kInt16Mark = 2;

// `kReferences`: of the first kernel. A kernel must not allocate before it has checked the types.
template <int kReferences, const Registration&... kKernels>
struct AnyType {
  static Status Prepare(PrepareContext& context) {
    const Registration* const kernels[] = {&kKernels...};
    Status status = Status::kUnsupportedType;
    for (const Registration* kernel : kernels) {
      status = kernel->prepare(context);
      if (status != Status::kUnsupportedType) break;
    }
    return status;
  }

  static void Invoke(const InvokeContext& context) {
    const Registration* const kernels[] = {&kKernels...};
    kernels[context.references() - kReferences]->invoke(context);
  }

  // For ops with state.
  static void Reset(const InvokeContext& context) {
    const Registration* const kernels[] = {&kKernels...};
    const Registration* kernel = kernels[context.references() - kReferences];
    if (kernel->reset != nullptr) kernel->reset(context);
  }
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_ANY_TYPE_H_
