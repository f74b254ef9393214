// SPDX-License-Identifier: Apache-2.0
// An interpreter that can print how much of its arena it uses.
#ifndef TFLM_MICRO_RECORDING_MICRO_INTERPRETER_H_
#define TFLM_MICRO_RECORDING_MICRO_INTERPRETER_H_

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/recording_micro_allocator.h"

namespace tflite {

class RecordingMicroInterpreter : public MicroInterpreter {
 public:
  RecordingMicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena,
                            size_t arena_bytes, MicroResourceVariables* variables = nullptr,
                            MicroProfilerInterface* profiler = nullptr)
      : RecordingMicroInterpreter(model, resolver,
                                  RecordingMicroAllocator::Create(arena, arena_bytes), variables,
                                  profiler) {}
  RecordingMicroInterpreter(const Model* model, const MicroOpResolver& resolver,
                            RecordingMicroAllocator* allocator,
                            MicroResourceVariables* variables = nullptr,
                            MicroProfilerInterface* profiler = nullptr)
      : MicroInterpreter(model, resolver, allocator, variables, profiler),
        recording_allocator_(allocator) {}

  // Not if the arena is too small for AllocateTensors.
  const RecordingMicroAllocator& GetMicroAllocator() const { return *recording_allocator_; }

 private:
  const RecordingMicroAllocator* recording_allocator_;
};

}  // namespace tflite

#endif  // TFLM_MICRO_RECORDING_MICRO_INTERPRETER_H_
