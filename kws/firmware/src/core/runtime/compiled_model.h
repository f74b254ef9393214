// SPDX-License-Identifier: Apache-2.0
// A model as C++, as `kws convert --compiled` writes it: calls of the kernels that its ops need, in
// order, with what the interpreter would have computed in AllocateTensors as constants. No model
// file, no op resolver, no planning on the device; the same bits.
#ifndef KWS_RUNTIME_COMPILED_MODEL_H_
#define KWS_RUNTIME_COMPILED_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "runtime/model/tensor.h"
#include "status.h"

namespace kws {

// Constants of a generated file. The converter has checked that they fit each other.
struct CompiledModel {
  struct Place {
    uint32_t offset;  // into the arena
    uint32_t bytes;
  };
  uint32_t arena_bytes;
  Place input;
  Place output;
  void (*invoke)(uint8_t* arena);
  // Gives what the model keeps between calls its first value. Null where it keeps nothing.
  void (*reset)(uint8_t* arena);
};

// Runs a compiled model where a MicroInterpreter would run its file; the same names and meanings.
class CompiledRunner {
 public:
  // Keeps both pointers; they must outlive the runner. The arena is aligned to 4.
  CompiledRunner(const CompiledModel& model, uint8_t* arena, size_t arena_size)
      : model_(model), arena_(arena), arena_size_(arena_size) {}

  Status AllocateTensors() {
    return arena_size_ < model_.arena_bytes ? Status::kArenaTooSmall : Reset();
  }
  Status Invoke() {
    model_.invoke(arena_);
    return Status::kOk;
  }
  Status Reset() {
    if (model_.reset != nullptr) model_.reset(arena_);
    return Status::kOk;
  }

  // Of these views only `bytes` and `data` are known.
  TensorView input(size_t) const { return View(model_.input); }
  TensorView output(size_t) const { return View(model_.output); }
  size_t arena_used_bytes() const { return model_.arena_bytes; }

 private:
  TensorView View(const CompiledModel::Place& place) const {
    TensorView view;
    view.bytes = place.bytes;
    view.data = arena_ + place.offset;
    return view;
  }

  const CompiledModel& model_;
  uint8_t* arena_;
  size_t arena_size_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_COMPILED_MODEL_H_
