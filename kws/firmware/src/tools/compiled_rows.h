// SPDX-License-Identifier: Apache-2.0
// Runs a compiled model on rows of raw values, on the emulated board and, in a test, on the host.
#ifndef KWS_TOOLS_COMPILED_ROWS_H_
#define KWS_TOOLS_COMPILED_ROWS_H_

#include <cstdint>
#include <cstring>

#include "kws/runtime/compiled_model.h"
#include "serial/text.h"

namespace kws {

// A model and its inputs and outputs.
struct CompiledJob {
  const CompiledModel& model;
  const CompiledModel::Place* inputs;
  int input_count;
  const CompiledModel::Place* outputs;
  int output_count;
  int task_runs;  // of the background task in an inference
};

inline void WriteHex(const uint8_t* bytes, uint32_t count, Output* output) {
  for (uint32_t i = 0; i < count; ++i) {
    const char digits[2] = {"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]};
    output->Write(digits, sizeof(digits));
  }
}

class RunCounter final : public BackgroundTask {
 public:
  void Run() override { ++runs_; }
  int TakeRuns() {
    const int runs = runs_;
    runs_ = 0;
    return runs;
  }

 private:
  int runs_ = 0;
};

// Writes all outputs of each row in hexadecimal on a line. State is kept from row to row. `from`:
// all inputs of each row. Returns the end of the inputs.
inline const uint8_t* RunCompiled(const CompiledJob& job, uint32_t rows, const uint8_t* from,
                                  uint8_t* arena, size_t arena_size, Output* output) {
  CompiledRunner runner(job.model, arena, arena_size);
  if (runner.AllocateTensors() != Status::kOk) {
    WriteError(output, StatusMessage(Status::kArenaTooSmall));
    return from;
  }
  RunCounter task;
  runner.SetBackgroundTask(&task);
  for (uint32_t row = 0; row < rows; ++row) {
    for (int i = 0; i < job.input_count; ++i) {
      std::memcpy(arena + job.inputs[i].offset, from, job.inputs[i].bytes);
      from += job.inputs[i].bytes;
    }
    runner.Invoke();
    if (task.TakeRuns() != job.task_runs) WriteError(output, "background task");
    for (int i = 0; i < job.output_count; ++i) {
      WriteHex(arena + job.outputs[i].offset, job.outputs[i].bytes, output);
    }
    WriteText(output, "\n");
  }
  return from;
}

}  // namespace kws

#endif  // KWS_TOOLS_COMPILED_ROWS_H_
