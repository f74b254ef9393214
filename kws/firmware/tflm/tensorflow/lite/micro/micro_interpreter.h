// SPDX-License-Identifier: Apache-2.0
// TFLM's interpreter. kws/interpreter.h is the same runtime without this layer: it also checks the
// model's size, which TFLM's GetModel does not know, and describes errors.
#ifndef TFLM_MICRO_MICRO_INTERPRETER_H_
#define TFLM_MICRO_MICRO_INTERPRETER_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/micro_interpreter.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/micro/compatibility.h"
#include "tensorflow/lite/micro/micro_error_reporter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/micro_profiler.h"
#include "tensorflow/lite/micro/recording_micro_allocator.h"

#define TFLITE_SCHEMA_VERSION (3)

namespace tflite {

// A .tflite in memory. Only pointers to it exist.
class Model {
 public:
  Model() = delete;
  // TFLITE_SCHEMA_VERSION; 0: not a .tflite.
  uint32_t version() const;
};

// A file's bytes as a model. A damaged file is read beyond its end, as in TFLM: its size is
// unknown.
inline const Model* GetModel(const void* data) { return static_cast<const Model*>(data); }

// All arguments must outlive the interpreter. It needs an arena of arena_used_bytes(); resource
// variables need nothing else.
class MicroInterpreter {
 public:
  MicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena,
                   size_t arena_bytes, MicroResourceVariables*, MicroProfilerInterface* = nullptr,
                   bool preserve_all_tensors = false);
  MicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena,
                   size_t arena_bytes, std::nullptr_t = nullptr,
                   MicroProfilerInterface* profiler = nullptr, bool preserve_all_tensors = false)
      : MicroInterpreter(model, resolver, arena, arena_bytes,
                         static_cast<MicroResourceVariables*>(nullptr), profiler,
                         preserve_all_tensors) {}
  // Programs for older versions of TFLM pass a reporter.
  MicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena,
                   size_t arena_bytes, ErrorReporter*, MicroResourceVariables* variables = nullptr,
                   MicroProfilerInterface* profiler = nullptr)
      : MicroInterpreter(model, resolver, arena, arena_bytes, variables, profiler) {}
  MicroInterpreter(const Model* model, const MicroOpResolver& resolver, MicroAllocator* allocator,
                   MicroResourceVariables* = nullptr, MicroProfilerInterface* = nullptr);
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  // On an error it prints the reason.
  TfLiteStatus AllocateTensors();
  TfLiteStatus Invoke();
  // Restores the state after AllocateTensors.
  TfLiteStatus Reset();
  TfLiteStatus ResetVariableTensors() { return Reset(); }
  TfLiteStatus initialization_status() const { return status_; }

  size_t inputs_size() const { return inputs_; }
  size_t outputs_size() const { return outputs_; }
  // Null: there is no such tensor, or AllocateTensors did not succeed.
  TfLiteTensor* input(size_t index) { return index < inputs_ ? Tensor(index) : nullptr; }
  TfLiteTensor* output(size_t index) {
    return index < outputs_ ? Tensor(inputs_ + index) : nullptr;
  }
  TfLiteTensor* input_tensor(size_t index) { return input(index); }
  TfLiteTensor* output_tensor(size_t index) { return output(index); }
  // Null also if its elements are not of type T.
  template <typename T>
  T* typed_input_tensor(int index) {
    return Typed<T>(input(static_cast<size_t>(index)));
  }
  template <typename T>
  T* typed_output_tensor(int index) {
    return Typed<T>(output(static_cast<size_t>(index)));
  }

  // After AllocateTensors. It includes the TfLiteTensor of each input and output.
  size_t arena_used_bytes() const;

 private:
  // At the arena's end, one for each input and output.
  struct Slot {
    TfLiteTensor tensor;
    TfLiteIntArray dims;
  };
  class OpEvents final : public kws::Profiler {
   public:
    explicit OpEvents(MicroProfilerInterface* profiler) : profiler_(profiler) {}
    void BeginOp(int index, kws::BuiltinOp op) override;
    void EndOp(int index) override;

   private:
    MicroProfilerInterface* profiler_;
    uint32_t handle_ = 0;
  };

  TfLiteTensor* Tensor(size_t index) { return allocated_ ? &slots_[index].tensor : nullptr; }
  template <typename T>
  static T* Typed(TfLiteTensor* tensor) {
    return tensor != nullptr && tensor->type == TypeOf(static_cast<T*>(nullptr))
               ? GetTensorData<T>(tensor)
               : nullptr;
  }
  static TfLiteType TypeOf(const float*) { return kTfLiteFloat32; }
  static TfLiteType TypeOf(const int8_t*) { return kTfLiteInt8; }
  static TfLiteType TypeOf(const uint8_t*) { return kTfLiteUInt8; }
  static TfLiteType TypeOf(const int16_t*) { return kTfLiteInt16; }
  static TfLiteType TypeOf(const int32_t*) { return kTfLiteInt32; }
  static TfLiteType TypeOf(const int64_t*) { return kTfLiteInt64; }
  static TfLiteType TypeOf(const bool*) { return kTfLiteBool; }

  kws::Model model_;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  Slot* slots_;  // null: no space
  kws::MicroInterpreter interpreter_;
  OpEvents events_;
  MicroAllocator* allocator_ = nullptr;
  bool allocated_ = false;
  TfLiteStatus status_;
};

}  // namespace tflite

#endif  // TFLM_MICRO_MICRO_INTERPRETER_H_
