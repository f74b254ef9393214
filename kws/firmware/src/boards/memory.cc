// SPDX-License-Identifier: Apache-2.0
// C library functions that the compiler calls, optimized for size: the library's versions are
// unrolled to three times the code. The core copies only some kilobytes per second.
#include <cstddef>
#include <cstdint>

extern "C" {

#ifdef __ARM_ARCH_6M__

// A Cortex-M0+ accesses words only at aligned addresses.
void* memcpy(void* to, const void* from, size_t size) {
  char* out = static_cast<char*>(to);
  const char* in = static_cast<const char*>(from);
  if (((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % 4) == 0) {
    for (; size >= 4; size -= 4, out += 4, in += 4) {
      *reinterpret_cast<uint32_t*>(out) = *reinterpret_cast<const uint32_t*>(in);
    }
  }
  for (; size > 0; --size) *out++ = *in++;
  return to;
}

void* memset(void* to, int value, size_t size) {
  char* out = static_cast<char*>(to);
  const char byte = static_cast<char>(value);
  const uint32_t word = static_cast<uint8_t>(value) * 0x01010101u;
  for (; size > 0 && reinterpret_cast<uintptr_t>(out) % 4 != 0; --size) *out++ = byte;
  for (; size >= 4; size -= 4, out += 4) *reinterpret_cast<uint32_t*>(out) = word;
  for (; size > 0; --size) *out++ = byte;
  return to;
}

#else

// Sixteen bytes at a time, then single bytes; unaligned words are allowed. In assembly, because the
// loop compiled for size executes three times the instructions.
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

__attribute__((naked)) void* memset(void*, int, size_t) {
  asm("and r1, #255\n"
      "orr r1, r1, r1, lsl #8\n"
      "orr r1, r1, r1, lsl #16\n"
      "mov r3, r0\n"
      "subs r2, #16\n"
      "blo 2f\n"
      "1:\n"
      "str r1, [r3], #4\n"
      "str r1, [r3], #4\n"
      "str r1, [r3], #4\n"
      "str r1, [r3], #4\n"
      "subs r2, #16\n"
      "bhs 1b\n"
      "2:\n"
      "adds r2, #16\n"
      "beq 4f\n"
      "3:\n"
      "strb r1, [r3], #1\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "bx lr\n");
}

#endif

}  // extern "C"
