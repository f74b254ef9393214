// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_RUNTIME_INTERPRETED_MODEL_H_
#define KWS_RUNTIME_INTERPRETED_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model_runner.h"

namespace kws {

// A .tflite with its op resolver and interpreter. The caller owns the file and the arena.
template <typename Resolver>
class InterpretedModel {
 public:
  InterpretedModel(const void* model, size_t bytes, uint8_t* arena, size_t arena_bytes)
      : model_(model, bytes), interpreter_(model_, resolver_, arena, arena_bytes) {}
  ModelRunner* runner() { return &interpreter_; }

 private:
  Model model_;
  Resolver resolver_;
  MicroInterpreter interpreter_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_INTERPRETED_MODEL_H_
