// SPDX-License-Identifier: Apache-2.0
// The interface of tools/infer.cc to the machine that runs it: an emulated board
// (tools/qemu_machine.cc) or an emulated processor without a board (cores/).
#ifndef KWS_TOOLS_MACHINE_H_
#define KWS_TOOLS_MACHINE_H_

#include <cstddef>
#include <cstdint>

namespace kws {
namespace machine {

// Prepares the output. Called first.
void Init();

// The tool's input, aligned to 16.
const uint8_t* Image();

// Writes `size` characters to the emulator's standard output.
void Write(const char* text, size_t size);

// Ends the emulator's process with status 0, or 1 for an error.
[[noreturn]] void Exit(bool is_error);

}  // namespace machine
}  // namespace kws

#endif  // KWS_TOOLS_MACHINE_H_
