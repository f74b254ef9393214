// SPDX-License-Identifier: Apache-2.0
// The pipeline's interface to a model: implemented by MicroInterpreter and by CompiledRunner.
#ifndef KWS_RUNTIME_MODEL_RUNNER_H_
#define KWS_RUNTIME_MODEL_RUNNER_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/background_task.h"
#include "kws/runtime/model/tensor.h"
#include "kws/status.h"

namespace kws {

class ModelRunner {
 public:
  // Checks the model and lays out its arena. A second call starts again, so models that take turns
  // can share an arena.
  virtual Status AllocateTensors() = 0;

  // Runs the model once. Its input is undefined afterwards.
  virtual Status Invoke() = 0;

  // Restores the state after AllocateTensors.
  virtual Status Reset() = 0;

  virtual size_t inputs_size() const = 0;
  virtual size_t outputs_size() const = 0;
  // `data` is null if the index is out of range or tensors are not allocated.
  virtual TensorView input(size_t index) const = 0;
  virtual TensorView output(size_t index) const = 0;

  // The size that this model needs of an arena aligned to 16.
  virtual size_t arena_used_bytes() const = 0;

  // Details of the last AllocateTensors that failed.
  virtual const ErrorDetail& error() const = 0;

  // Invoke runs it after each op; null: nothing. The caller owns it. Of compiled models, only those
  // of a second look run it.
  void SetBackgroundTask(BackgroundTask* task) { task_ = task; }

 protected:
  BackgroundTask* task_ = nullptr;

  // Never deleted through this base: a virtual destructor would link `operator delete`.
  ~ModelRunner() = default;
};

}  // namespace kws

#endif  // KWS_RUNTIME_MODEL_RUNNER_H_
