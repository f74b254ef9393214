// SPDX-License-Identifier: Apache-2.0
// The second stage of the start-up. The chip's boot ROM copies the first 256 bytes of flash to RAM,
// checks the CRC-32 in the last 4 (appended by platform/builder/main.py), and runs them (DS 2.8.1).
//
// It makes flash readable with the command 03h, which any flash chip has up to 50 MHz, at half of
// the core's clock. That is for the ring oscillator's 1 to 12 MHz: flash is read only until load.cc
// and KwsStart have copied the firmware to RAM, before clock.cc makes the core faster.
#include "boards/rpi_pico/rp2040.h"

namespace kws {
namespace board {
namespace {

struct Write {
  uint32_t address;  // 0: the end
  uint32_t value;    // at the end: the vector table
};

constexpr uint32_t kVectorTable = 0x10000100;  // rp2040.ld

}  // namespace
}  // namespace board
}  // namespace kws

extern "C" {

// In the order of execution; the interface is changed only while it is disabled (DS 4.10.13).
__attribute__((used, section(".boot2.table"))) extern const kws::board::Write kws_boot2_table[] = {
    {kws::board::kFlashEnable, 0},
    {kws::board::kFlashDivisor, 2},
    {kws::board::kFlashControl0, kws::board::kFlashEepromRead | kws::board::kFlashFrame32},
    {kws::board::kFlashCommands, kws::board::kFlashReadCommand | kws::board::kFlashCommand8Bit |
                                     kws::board::kFlashAddress24Bit},
    {kws::board::kFlashControl1, 0},
    {kws::board::kFlashEnable, 1},
    {0, kws::board::kVectorTable},
};

// Runs at a different address than it is linked to. The table follows the code.
__attribute__((naked, used, section(".boot2.code"))) void KwsBoot2() {
  asm volatile(
      "adr r0, 3f\n"
      "1:\n"
      "ldmia r0!, {r1, r2}\n"
      "cmp r1, #0\n"
      "beq 2f\n"
      "str r2, [r1]\n"
      "b 1b\n"
      "2:\n"
      "ldmia r2!, {r0, r1}\n"
      "msr msp, r0\n"
      "bx r1\n"
      ".balign 4\n"
      "3:\n");
}

}  // extern "C"
