// SPDX-License-Identifier: Apache-2.0
// Runs compiled models on the emulated board, for the tests that compare them with the interpreter.
// The generated model_settings.h defines `kJobs`, one per model.
//
// PSRAM holds little-endian uint32 values: magic, then for each job the number of rows and their
// offset from PSRAM's start. For the output see compiled_rows.h.
#include "boards/board.h"
#include "boards/qemu/mps2_an386.h"
#include "model_settings.h"
#include "tools/compiled_rows.h"

namespace {

namespace board = kws::board;

constexpr uint32_t kMagic = 0x4353574b;  // "KWSC"

class BoardOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { board::Write(text, size); }
};

BoardOutput output;
alignas(16) uint8_t arena[1u << 20];

}  // namespace

int main() {
  board::Init();
  const uint32_t* header = reinterpret_cast<const uint32_t*>(board::kPsram);
  if (header[0] != kMagic) {
    kws::WriteError(&output, "no jobs in memory; load an image at 0x21000000");
    board::Halt(board::Fault::kModel);
  }
  const uint32_t* rows = header + 1;
  for (const kws::CompiledJob& job : kws::kJobs) {
    const uint8_t* inputs = reinterpret_cast<const uint8_t*>(board::kPsram + rows[1]);
    kws::RunCompiled(job, rows[0], inputs, arena, sizeof(arena), &output);
    rows += 2;
  }
  board::Exit();
}
