// SPDX-License-Identifier: Apache-2.0
// A model compiled to C++ by `kws convert --compiled`: kernel calls in order, with the results of
// AllocateTensors as constants. Produces the same output as the interpreter, without a model file,
// an op resolver, or planning on the device.
#ifndef KWS_RUNTIME_COMPILED_MODEL_H_
#define KWS_RUNTIME_COMPILED_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/model/tensor.h"
#include "kws/runtime/model_runner.h"
#include "kws/status.h"

namespace kws {

// Constants of a generated file, checked by the converter.
struct CompiledModel {
  struct Place {
    uint32_t offset;  // into the arena
    uint32_t bytes;
  };
  uint32_t arena_bytes;
  Place input;
  Place output;
  // Runs `task` after each op, if the model was compiled for that and `task` is not null.
  void (*invoke)(uint8_t* arena, BackgroundTask* task);
  // Initializes the model's state. Null: the model is stateless.
  void (*reset)(uint8_t* arena);
};

// The converter has checked the model: one int8 input, one int8 output of scores.
class CompiledRunner final : public ModelRunner {
 public:
  // Keeps both pointers; they must outlive the runner. The arena is aligned to 4.
  CompiledRunner(const CompiledModel& model, uint8_t* arena, size_t arena_size)
      : model_(model), arena_(arena), arena_size_(arena_size) {}

  Status AllocateTensors() override {
    return arena_size_ < model_.arena_bytes ? Status::kArenaTooSmall : Reset();
  }
  Status Invoke() override {
    model_.invoke(arena_, task_);
    return Status::kOk;
  }
  Status Reset() override {
    if (model_.reset != nullptr) model_.reset(arena_);
    return Status::kOk;
  }

  size_t inputs_size() const override { return 1; }
  size_t outputs_size() const override { return 1; }
  // Without dimensions; the input's scale is not known.
  TensorView input(size_t) const override { return View(model_.input); }
  TensorView output(size_t) const override { return View(model_.output); }
  size_t arena_used_bytes() const override { return model_.arena_bytes; }
  const ErrorDetail& error() const override { return error_; }

 private:
  TensorView View(const CompiledModel::Place& place) const {
    TensorView view;
    view.type = TensorType::kInt8;
    view.scale = 1.0f / 256.0f;
    view.zero_point = -128;
    view.bytes = place.bytes;
    view.data = arena_ + place.offset;
    return view;
  }

  const CompiledModel& model_;
  uint8_t* arena_;
  size_t arena_size_;
  ErrorDetail error_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_COMPILED_MODEL_H_
