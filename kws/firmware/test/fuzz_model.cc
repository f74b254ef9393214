// libFuzzer target: a model is untrusted input. Whatever the bytes are, load, allocate and invoke
// end in a status: no crash, no hang, no read outside the model or the arena.
//
// libFuzzer hands each input over in an allocation of exactly its size, and the arena is one too,
// so that AddressSanitizer sees the first byte beyond either.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "runtime/all_ops_resolver.h"
#include "runtime/micro_interpreter.h"

namespace {

// Enough for the seeds, and small enough that the largest tensor which fits is soon computed.
constexpr size_t kArenaBytes = 32 << 10;

struct AlignedDelete {
  void operator()(uint8_t* p) const { operator delete[](p, std::align_val_t{16}); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const kws::Model model = kws::GetModel(data, size);
  const kws::AllOpsResolver resolver;
  const std::unique_ptr<uint8_t[], AlignedDelete> arena(new (std::align_val_t{16})
                                                            uint8_t[kArenaBytes]);
  kws::MicroInterpreter interpreter(model, resolver, arena.get(), kArenaBytes);
  if (interpreter.AllocateTensors() != kws::Status::kOk) return 0;
  uint8_t value = 1;
  for (int call = 0; call < 2; ++call) {
    for (size_t i = 0; i < interpreter.inputs_size(); ++i) {
      const kws::TensorView input = interpreter.input(i);
      for (uint32_t b = 0; b < input.bytes; ++b) {
        value = static_cast<uint8_t>(value * 13 + 7);
        input.As<uint8_t>()[b] = value;
      }
    }
    if (interpreter.Invoke() != kws::Status::kOk) return 0;
  }
  // The outputs lie in the arena, whole.
  unsigned sum = 0;
  for (size_t i = 0; i < interpreter.outputs_size(); ++i) {
    const kws::TensorView output = interpreter.output(i);
    for (uint32_t b = 0; b < output.bytes; ++b) sum += output.As<uint8_t>()[b];
  }
  static volatile unsigned sink;
  sink = sum;
  if (interpreter.Reset() != kws::Status::kOk) __builtin_trap();
  return 0;
}
