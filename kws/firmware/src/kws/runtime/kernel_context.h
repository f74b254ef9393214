// SPDX-License-Identifier: Apache-2.0
// The interpreter's interface to kernels: PrepareContext in AllocateTensors, InvokeContext in each
// inference.
#ifndef KWS_RUNTIME_KERNEL_CONTEXT_H_
#define KWS_RUNTIME_KERNEL_CONTEXT_H_

#include <cstdint>

#include "kws/runtime/graph_builder.h"
#include "kws/runtime/model/model.h"
#include "kws/runtime/planning/arena_layout.h"
#include "kws/runtime/planning/memory_planner.h"
#include "kws/status.h"

namespace kws {

// The argument of a kernel's invoke.
class InvokeContext {
 public:
  // For the interpreter: Select an op's record before its call.
  InvokeContext(uint8_t* arena, const uint8_t* model)
      : arena_(arena), model_(model), references_(nullptr), count_(0) {}
  void Select(const RecordHeader* record) {
    references_ = reinterpret_cast<const int32_t*>(record + 1);
    count_ = record->references;
  }
  // For compiled models: `count` data references, then the parameters. References into the model
  // count from `constants`.
  InvokeContext(uint8_t* arena, const void* constants, const uint32_t* references, int count)
      : arena_(arena),
        model_(static_cast<const uint8_t*>(constants)),
        references_(reinterpret_cast<const int32_t*>(references)),
        count_(count) {}

  // Null if an optional input is left out.
  template <typename T>
  const T* Data(int reference) const {
    return reinterpret_cast<const T*>(Resolve(reference));
  }
  // For outputs, variables and scratch, which lie in the arena.
  template <typename T>
  T* MutableData(int reference) const {
    return reinterpret_cast<T*>(arena_ + references_[reference]);
  }
  template <typename P>
  const P& Params() const {
    return *reinterpret_cast<const P*>(references_ + count_);
  }
  int references() const { return count_; }
  // Data after the parameters in the record.
  template <typename T, typename P>
  const T* Extra() const {
    return reinterpret_cast<const T*>(&Params<P>() + 1);
  }

 private:
  // Not inline, to save flash.
  __attribute__((noinline)) const uint8_t* Resolve(int reference) const {
    const int32_t offset = references_[reference];
    if (offset >= 0) return arena_ + offset;
    return offset == kNoData ? nullptr : model_ + (offset & INT32_MAX);
  }

  uint8_t* arena_;
  const uint8_t* model_;
  const int32_t* references_;
  int count_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNEL_CONTEXT_H_
