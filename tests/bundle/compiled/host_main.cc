// SPDX-License-Identifier: Apache-2.0
// Runs compiled models on the host. Standard input has, for each job, the number of its rows
// (uint32), then all inputs of each row.
#include <cstdio>
#include <vector>

#include "model_settings.h"

namespace {

alignas(16) uint8_t arena[4u << 20];

class Terminal final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { std::fwrite(text, 1, size, stdout); }
};

}  // namespace

int main() {
  Terminal output;
  for (const kws::CompiledJob& job : kws::kJobs) {
    uint32_t rows;
    uint32_t bytes = 0;
    if (std::fread(&rows, sizeof(rows), 1, stdin) != 1) return 1;
    for (int i = 0; i < job.input_count; ++i) bytes += job.inputs[i].bytes;
    std::vector<uint8_t> inputs(rows * bytes);
    if (std::fread(inputs.data(), 1, inputs.size(), stdin) != inputs.size()) return 1;
    kws::RunCompiled(job, rows, inputs.data(), arena, sizeof(arena), &output);
  }
  return 0;
}
