// SPDX-License-Identifier: Apache-2.0
// Runs a .tflite model in a caller's arena. TFLM's names and meanings.
//
//   alignas(16) static uint8_t arena[kArenaBytes];
//   const Model model = GetModel(g_model);
//   MicroMutableOpResolver<2> resolver;
//   resolver.AddConv2D();
//   resolver.AddSoftmax();
//   MicroInterpreter interpreter(model, resolver, arena, sizeof(arena));
//   Status status = interpreter.AllocateTensors();
//   ... fill interpreter.input(0).As<int8_t>() ...
//   status = interpreter.Invoke();
//   ... read interpreter.output(0).As<int8_t>() ...
//
// The arena holds offsets and integers, never pointers, so that arena_used_bytes() is one number
// for a model, on a 64-bit host and on the device alike.
#ifndef KWS_RUNTIME_MICRO_INTERPRETER_H_
#define KWS_RUNTIME_MICRO_INTERPRETER_H_

#include <cstddef>
#include <cstdint>

#include "runtime/model/model.h"
#include "runtime/model/tensor.h"
#include "runtime/op_resolver.h"
#include "runtime/planning/arena_layout.h"
#include "runtime/profiler.h"
#include "status.h"

namespace kws {

class MicroInterpreter {
 public:
  // Keeps references to all three; they must outlive the interpreter. The arena's first 16-byte
  // boundary is its start: align it to 16 or lose up to 15 bytes.
  MicroInterpreter(const Model& model, const OpResolver& resolver, uint8_t* arena,
                   size_t arena_size);
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  // Checks the model, prepares its ops and lays out the arena. Call once; a second call does the
  // work again. On failure error() says where.
  Status AllocateTensors();

  // Runs the graph once. kNotAllocated before AllocateTensors succeeded.
  Status Invoke();

  // Gives what the model keeps between calls the values that AllocateTensors gave it: variable
  // tensors and resource variables, which CALL_ONCE fills, are as before the first call. Outputs
  // are undefined until the next one.
  Status Reset();

  // From now on `profiler` sees every op that runs; null ends that. It stays the caller's.
  void SetProfiler(Profiler* profiler) { profiler_ = profiler; }

  size_t inputs_size() const { return layout_.input_count; }
  size_t outputs_size() const { return layout_.output_count; }
  // A view with a null `data` where the index is out of range or tensors are not allocated.
  TensorView input(size_t index) const;
  TensorView output(size_t index) const;

  // Bytes of arena that this model needs: an arena of this size, 16-byte aligned, is enough.
  size_t arena_used_bytes() const { return layout_.used; }

  // Of the last AllocateTensors that failed.
  const ErrorDetail& error() const { return error_; }

 private:
  TensorView View(size_t index) const;

  const Model& model_;
  const OpResolver& resolver_;
  Profiler* profiler_ = nullptr;
  uint8_t* arena_;       // aligned to 16
  uint32_t arena_size_;  // from there
  ArenaLayout layout_{};
  bool allocated_ = false;
  ErrorDetail error_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_MICRO_INTERPRETER_H_
