// SPDX-License-Identifier: Apache-2.0
// Which kernels an interpreter may use. Kernels are named one by one, so that the linker leaves out
// those of ops that a program does not register.
#ifndef KWS_RUNTIME_OP_RESOLVER_H_
#define KWS_RUNTIME_OP_RESOLVER_H_

#include <cstdint>

#include "runtime/kernels/kernels.h"
#include "runtime/registration.h"
#include "status.h"

namespace kws {

// A list of registrations; the storage is the derived class's.
class OpResolver {
 public:
  OpResolver(const OpResolver&) = delete;
  OpResolver& operator=(const OpResolver&) = delete;

  int size() const { return size_; }
  const Registration& at(int index) const { return *list_[index]; }
  // Index of the kernel for a BuiltinOperator code, -1 where there is none.
  int Find(int32_t builtin_code) const {
    for (int i = 0; i < size_; ++i) {
      if (static_cast<int32_t>(list_[i]->code) == builtin_code) return i;
    }
    return -1;
  }

 protected:
  OpResolver(const Registration** list, int capacity) : list_(list), capacity_(capacity) {}
  Status Add(const Registration& registration) {
    if (Find(static_cast<int32_t>(registration.code)) >= 0) return Status::kOk;
    if (size_ == capacity_) return Status::kResolverFull;
    list_[size_++] = &registration;
    return Status::kOk;
  }
  // Of an op that is there.
  void Replace(const Registration& registration) {
    list_[Find(static_cast<int32_t>(registration.code))] = &registration;
  }

 private:
  const Registration** list_;
  int capacity_;
  int size_ = 0;
};

// Room for N ops (at most 255). Adding an op twice is allowed and does nothing.
template <int N>
class MicroMutableOpResolver : public OpResolver {
 public:
  MicroMutableOpResolver() : OpResolver(storage_, N) {}

#define KWS_OP(Name) \
  Status Add##Name() { return Add(kernels::Name()); }
#include "runtime/kernels/op_list.inc"
#undef KWS_OP

  // For an op of which the model has only these shapes; for others AllocateTensors fails.
#define KWS_VARIANT(Op, Name, shapes) \
  Status Add##Name() { return Add(kernels::Name()); }
#include "runtime/kernels/op_variants.inc"
#undef KWS_VARIANT

 private:
  static_assert(N > 0 && N <= 255, "an op's place in the resolver is kept in one byte");
  const Registration* storage_[N];
};

}  // namespace kws

#endif  // KWS_RUNTIME_OP_RESOLVER_H_
