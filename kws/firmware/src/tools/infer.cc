// SPDX-License-Identifier: Apache-2.0
// Runs any model on the emulated board, for `kws infer --board qemu` and for tests that compare the
// board's kernels with the host's. kws/host/emulate/inference.py writes its input.
//
// PSRAM holds little-endian uint32 values:
//   magic, job_count, then for each job {model, model_bytes, rows, row_bytes, inputs}
// `model` (aligned to 16) and `inputs` are offsets from PSRAM's start. A row holds all inputs of a
// call. Output for each job, with state kept from row to row:
//   arena <bytes>
//   <all outputs in hexadecimal>     (one line per row)
// or one line `error: ...`.
#include <cstring>

#include "boards/board.h"
#include "boards/qemu/mps2_an386.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model/model.h"
#include "serial/text.h"

namespace {

namespace board = kws::board;

constexpr uint32_t kMagic = 0x4f53574b;  // "KWSO"

struct Job {
  uint32_t model;
  uint32_t model_bytes;
  uint32_t rows;
  uint32_t row_bytes;
  uint32_t inputs;
};

class BoardOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { board::Write(text, size); }
};

BoardOutput output;
alignas(16) uint8_t arena[3u << 20];

void WriteHex(const kws::TensorView& tensor) {
  const uint8_t* bytes = tensor.As<uint8_t>();
  for (uint32_t i = 0; i < tensor.bytes; ++i) {
    const char digits[2] = {"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]};
    output.Write(digits, sizeof(digits));
  }
}

const char* Run(const Job& job, const kws::OpResolver& resolver) {
  const kws::Model model =
      kws::GetModel(reinterpret_cast<const void*>(board::kPsram + job.model), job.model_bytes);
  kws::MicroInterpreter interpreter(model, resolver, arena, sizeof(arena));
  kws::Status status = interpreter.AllocateTensors();
  if (status != kws::Status::kOk) return kws::StatusMessage(status);
  uint32_t input_bytes = 0;
  for (size_t i = 0; i < interpreter.inputs_size(); ++i) input_bytes += interpreter.input(i).bytes;
  if (input_bytes != job.row_bytes) return "a row is not as long as the model's inputs";
  kws::WriteText(&output, "arena ");
  kws::WriteNumber(&output, static_cast<uint32_t>(interpreter.arena_used_bytes()));
  kws::WriteText(&output, "\n");
  const uint8_t* from = reinterpret_cast<const uint8_t*>(board::kPsram + job.inputs);
  for (uint32_t row = 0; row < job.rows; ++row) {
    for (size_t i = 0; i < interpreter.inputs_size(); ++i) {
      const kws::TensorView input = interpreter.input(i);
      std::memcpy(input.data, from, input.bytes);
      from += input.bytes;
    }
    status = interpreter.Invoke();
    if (status != kws::Status::kOk) return kws::StatusMessage(status);
    for (size_t i = 0; i < interpreter.outputs_size(); ++i) WriteHex(interpreter.output(i));
    kws::WriteText(&output, "\n");
  }
  return nullptr;
}

}  // namespace

int main() {
  board::Init();
  const uint32_t* header = reinterpret_cast<const uint32_t*>(board::kPsram);
  if (header[0] != kMagic) {
    kws::WriteError(&output, "no jobs in memory; load an image at 0x21000000");
    board::Halt(board::Fault::kModel);
  }
  static kws::AllOpsResolver resolver;
  const Job* jobs = reinterpret_cast<const Job*>(header + 2);
  for (uint32_t i = 0; i < header[1]; ++i) {
    const char* error = Run(jobs[i], resolver);
    if (error != nullptr) kws::WriteError(&output, error);
  }
  board::Exit();
}
