// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that the compiler calls by itself, for size: the library's are
// unrolled to three times as much code. The core copies some kilobytes a second.
#include <cstddef>
#include <cstdint>

extern "C" {

// Sixteen bytes at a time, then one by one; the core loads and stores unaligned words as well. In
// assembly, because compiled for size the loop takes three times the instructions.
__attribute__((naked)) void* memcpy(void*, const void*, size_t) {
  asm("mov r3, r0\n"
      "subs r2, #16\n"
      "blo 2f\n"
      "1:\n"
      "ldr r12, [r1], #4\n"
      "str r12, [r3], #4\n"
      "ldr r12, [r1], #4\n"
      "str r12, [r3], #4\n"
      "ldr r12, [r1], #4\n"
      "str r12, [r3], #4\n"
      "ldr r12, [r1], #4\n"
      "str r12, [r3], #4\n"
      "subs r2, #16\n"
      "bhs 1b\n"
      "2:\n"
      "adds r2, #16\n"
      "beq 4f\n"
      "3:\n"
      "ldrb r12, [r1], #1\n"
      "strb r12, [r3], #1\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "bx lr\n");
}

void* memset(void* to, int value, size_t size) {
  using Word = uint32_t __attribute__((aligned(1), may_alias));
  uint8_t* target = static_cast<uint8_t*>(to);
  const uint32_t pattern = static_cast<uint8_t>(value) * 0x01010101u;
  for (; size >= sizeof(Word); size -= sizeof(Word)) {
    *reinterpret_cast<Word*>(target) = pattern;
    target += sizeof(Word);
  }
  for (; size > 0; --size) *target++ = static_cast<uint8_t>(value);
  return to;
}

}  // extern "C"
