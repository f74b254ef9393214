// SPDX-License-Identifier: Apache-2.0
// Runs a .tflite model in a caller's arena, with TFLM's interface.
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
// The arena holds no pointers, so that arena_used_bytes() is the same on a 64-bit host and on the
// device.
#ifndef KWS_RUNTIME_MICRO_INTERPRETER_H_
#define KWS_RUNTIME_MICRO_INTERPRETER_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/model/model.h"
#include "kws/runtime/model/tensor.h"
#include "kws/runtime/model_runner.h"
#include "kws/runtime/op_resolver.h"
#include "kws/runtime/planning/arena_layout.h"
#include "kws/runtime/profiler.h"
#include "kws/status.h"

namespace kws {

class MicroInterpreter final : public ModelRunner {
 public:
  // Keeps references to model, resolver and arena, which must outlive the interpreter. An arena
  // that is not aligned to 16 loses up to 15 bytes.
  MicroInterpreter(const Model& model, const OpResolver& resolver, uint8_t* arena,
                   size_t arena_size);
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  // Checks the model, prepares its ops and lays out the arena. On failure error() has details.
  Status AllocateTensors() override;

  // Runs the graph once. kNotAllocated before AllocateTensors succeeded.
  Status Invoke() override;

  // Restores the state after AllocateTensors: variable tensors and resource variables, which
  // CALL_ONCE fills. Outputs are undefined until the next Invoke.
  Status Reset() override;

  // The caller owns `profiler`; null: no profiling.
  void SetProfiler(Profiler* profiler) { profiler_ = profiler; }

  size_t inputs_size() const override { return layout_.input_count; }
  size_t outputs_size() const override { return layout_.output_count; }
  TensorView input(size_t index) const override;
  TensorView output(size_t index) const override;

  size_t arena_used_bytes() const override { return layout_.used; }

  const ErrorDetail& error() const override { return error_; }

 private:
  TensorView View(size_t index) const;
  // Calls this function of the first `count` ops, if they have it.
  void Run(int count, Registration::Run Registration::*function);

  const Model& model_;
  const OpResolver& resolver_;
  Profiler* profiler_ = nullptr;
  uint8_t* arena_;       // aligned to 16
  uint32_t arena_size_;  // from the aligned start
  ArenaLayout layout_{};
  bool allocated_ = false;
  ErrorDetail error_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_MICRO_INTERPRETER_H_
