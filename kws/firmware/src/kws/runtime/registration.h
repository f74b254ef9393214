// SPDX-License-Identifier: Apache-2.0
// The kernel of an op, and the list of kernels that an interpreter may use.
#ifndef KWS_RUNTIME_REGISTRATION_H_
#define KWS_RUNTIME_REGISTRATION_H_

#include <cstdint>

#include "kws/runtime/model/schema.h"
#include "kws/status.h"

namespace kws {

class PrepareContext;
class InvokeContext;

struct Registration {
  using Prepare = Status (*)(PrepareContext& context);
  using Run = void (*)(const InvokeContext& context);

  constexpr Registration(BuiltinOp op, Prepare check, Run run, Run clear = nullptr)
      : code(op), prepare(check), invoke(run), reset(clear) {}

  BuiltinOp code;
  // AllocateTensors calls it once. It checks types, shapes, options and quantization for invoke,
  // and writes the op's parameters into the arena.
  Prepare prepare;
  // Called in each inference. Cannot fail.
  Run invoke;
  // AllocateTensors (at its end) and Reset call it to initialize the op's state. Null: the op has
  // no state, or its state starts as zeros, as variable tensors do.
  Run reset;
};

// A list of registrations; the derived class owns the storage.
class OpResolver {
 public:
  OpResolver(const OpResolver&) = delete;
  OpResolver& operator=(const OpResolver&) = delete;

  int size() const { return size_; }
  const Registration& at(int index) const { return *list_[index]; }
  // Index of the kernel for a BuiltinOperator code, -1 if there is none.
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
  // The op must be in the list.
  void Replace(const Registration& registration) {
    list_[Find(static_cast<int32_t>(registration.code))] = &registration;
  }

 private:
  const Registration** list_;
  int capacity_;
  int size_ = 0;
};

}  // namespace kws

#endif  // KWS_RUNTIME_REGISTRATION_H_
