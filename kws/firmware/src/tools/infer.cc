// SPDX-License-Identifier: Apache-2.0
// Runs any model on an emulated board or processor, for `kws infer --board qemu`, `kws bench` and
// tests that compare kernels with the host's. kws/host/emulate/inference.py writes its input.
//
// The machine's image holds little-endian uint32 values:
//   magic, job_count, then for each job {model, model_bytes, rows, row_bytes, inputs}
// `model` and `inputs` (aligned to 16) are offsets from the image's start. A row holds all inputs
// of a call. Output for each job, with state kept from row to row:
//   arena <bytes>
//   <all outputs in hexadecimal>     (one line per row)
// or one line `error: ...`. A job without a model (model_bytes is 0) is the frontend's: a row is a
// hop of samples, its output the frame's features, and nothing for the first hop.
#include <cstring>

#include "kws/pipeline/feature_provider.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model/model.h"
#include "serial/text.h"
#include "tools/machine.h"

// A trace of executed instructions shows their names around what is measured. The comments in
// assembly keep the compiler from merging them.
#define KWS_MARK(name) \
  extern "C" __attribute__((noinline, used)) void name() { asm volatile("/* " #name " */"); }
KWS_MARK(KwsMarkAllocation)
KWS_MARK(KwsMarkHop)
KWS_MARK(KwsMarkInference)
KWS_MARK(KwsMarkEnd)
KWS_MARK(KwsMarkDone)

namespace {

namespace machine = kws::machine;

constexpr uint32_t kMagic = 0x4f53574b;  // "KWSO"

struct Job {
  uint32_t model;
  uint32_t model_bytes;
  uint32_t rows;
  uint32_t row_bytes;
  uint32_t inputs;
};

class MachineOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { machine::Write(text, size); }
};

MachineOutput output;
alignas(16) uint8_t arena[3u << 20];

void WriteHex(const void* data, size_t size) {
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < size; ++i) {
    const char digits[2] = {"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]};
    output.Write(digits, sizeof(digits));
  }
}

const char* RunFrontend(const Job& job) {
  static int8_t frame[kws::Frontend::kChannels];
  int16_t hop[kws::FeatureProvider::kHopSamples];
  if (job.row_bytes != sizeof(hop)) return "a row is not as long as a hop";
  kws::FeatureProvider features({frame, 1}, kws::FeatureProvider::kHopSamples);
  kws::WriteText(&output, "arena 0\n");
  const uint8_t* from = machine::Image() + job.inputs;
  for (uint32_t row = 0; row < job.rows; ++row, from += sizeof(hop)) {
    std::memcpy(hop, from, sizeof(hop));
    KwsMarkHop();
    const bool completed = features.Push(hop);
    KwsMarkEnd();
    if (completed) WriteHex(frame, sizeof(frame));
    kws::WriteText(&output, "\n");
  }
  return nullptr;
}

const char* Run(const Job& job, const kws::OpResolver& resolver) {
  const kws::Model model = kws::GetModel(machine::Image() + job.model, job.model_bytes);
  kws::MicroInterpreter interpreter(model, resolver, arena, sizeof(arena));
  KwsMarkAllocation();
  kws::Status status = interpreter.AllocateTensors();
  KwsMarkEnd();
  if (status != kws::Status::kOk) return kws::StatusMessage(status);
  uint32_t input_bytes = 0;
  for (size_t i = 0; i < interpreter.inputs_size(); ++i) input_bytes += interpreter.input(i).bytes;
  if (input_bytes != job.row_bytes) return "a row is not as long as the model's inputs";
  kws::WriteText(&output, "arena ");
  kws::WriteNumber(&output, static_cast<uint32_t>(interpreter.arena_used_bytes()));
  kws::WriteText(&output, "\n");
  const uint8_t* from = machine::Image() + job.inputs;
  for (uint32_t row = 0; row < job.rows; ++row) {
    for (size_t i = 0; i < interpreter.inputs_size(); ++i) {
      const kws::TensorView input = interpreter.input(i);
      std::memcpy(input.data, from, input.bytes);
      from += input.bytes;
    }
    KwsMarkInference();
    status = interpreter.Invoke();
    KwsMarkEnd();
    if (status != kws::Status::kOk) return kws::StatusMessage(status);
    for (size_t i = 0; i < interpreter.outputs_size(); ++i) {
      const kws::TensorView values = interpreter.output(i);
      WriteHex(values.data, values.bytes);
    }
    kws::WriteText(&output, "\n");
  }
  return nullptr;
}

}  // namespace

int main() {
  machine::Init();
  const uint32_t* header = reinterpret_cast<const uint32_t*>(machine::Image());
  if (header[0] != kMagic) {
    kws::WriteError(&output, "no jobs in memory");
    machine::Exit(true);
  }
  static kws::AllOpsResolver resolver;
  const Job* jobs = reinterpret_cast<const Job*>(header + 2);
  for (uint32_t i = 0; i < header[1]; ++i) {
    const char* error = jobs[i].model_bytes == 0 ? RunFrontend(jobs[i]) : Run(jobs[i], resolver);
    if (error != nullptr) kws::WriteError(&output, error);
  }
  KwsMarkDone();
  machine::Exit(false);
}
