// SPDX-License-Identifier: Apache-2.0
// The emulated board as a machine for tools: its input is in PSRAM.
#include "boards/board.h"
#include "boards/qemu/mps2_an386.h"
#include "tools/machine.h"

namespace kws {
namespace machine {

void Init() { board::Init(); }

const uint8_t* Image() { return reinterpret_cast<const uint8_t*>(board::kPsram); }

void Write(const char* text, size_t size) { board::Write(text, size); }

void Exit(bool is_error) {
  if (is_error) board::Halt(board::Fault::kModel);
  board::Exit();
}

}  // namespace machine
}  // namespace kws
