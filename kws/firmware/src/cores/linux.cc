// SPDX-License-Identifier: Apache-2.0
// A Linux program in QEMU's user mode. Its input is the file that KWS_IMAGE names.
#include <cstdio>
#include <cstdlib>

#include "tools/machine.h"

namespace kws {
namespace machine {
namespace {

constexpr size_t kImageBytes = 16u << 20;
alignas(16) uint8_t image[kImageBytes];

}  // namespace

void Init() {
  const char* name = std::getenv("KWS_IMAGE");
  std::FILE* file = name == nullptr ? nullptr : std::fopen(name, "rb");
  if (file == nullptr) return;
  const size_t bytes = std::fread(image, 1, sizeof(image), file);
  static_cast<void>(bytes);  // an empty image has no jobs, which main reports
  std::fclose(file);
}

const uint8_t* Image() { return image; }

void Write(const char* text, size_t size) { std::fwrite(text, 1, size, stdout); }

void Exit(bool is_error) { std::exit(is_error ? 1 : 0); }

}  // namespace machine
}  // namespace kws
