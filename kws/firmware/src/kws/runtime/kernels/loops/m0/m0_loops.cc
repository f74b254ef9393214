// SPDX-License-Identifier: Apache-2.0
// Dot products and requantization on the Cortex-M0, in assembly: of the sixteen registers most
// instructions take only the lower eight, and compilers then keep too much in memory.
#include "kws/runtime/kernels/loops/four_dots.h"
#include "kws/runtime/kernels/loops/m0/m0.h"

#if KWS_HAVE_M0
namespace kws {

// Four instructions per product. r0: weights. r1: values. r2: a weight. r3: a value. r4 to r7: 0,
// 1, 2 and 3 steps in bytes. r8 to r11: sums. r12: end of a row's weights. On the stack: rows left,
// bytes from the end of a row's values to the next row, bytes of a row's weights, address of the
// sums.
// clang-format off
#define KWS_PRODUCT(distance, sum)  \
  "ldrsh r3, [r1, " distance "]\n"  \
  "muls r3, r2, r3\n"               \
  "add " sum ", r3\n"
#define KWS_PRODUCTS(load_weight, bytes) \
  load_weight " r2, [r0, r4]\n"          \
  "adds r0, #" bytes "\n"                \
  KWS_PRODUCT("r4", "r8")                \
  KWS_PRODUCT("r5", "r9")                \
  KWS_PRODUCT("r6", "r10")               \
  KWS_PRODUCT("r7", "r11")               \
  "adds r1, #2\n"
// `bytes` of a weight, and their logarithm.
#define KWS_ADD_FOUR_DOTS(load_weight, bytes, log2_bytes) \
  __asm__ volatile(                                                 \
      ".syntax unified\n"                                           \
      "push {r4-r7, lr}\n"                                          \
      "mov r4, r8\n"                                                \
      "mov r5, r9\n"                                                \
      "mov r6, r10\n"                                               \
      "mov r7, r11\n"                                               \
      "push {r4-r7}\n"                                              \
      "sub sp, #16\n"                                               \
      "str r3, [sp, #12]\n"                                         \
      "ldmia r3!, {r4-r7}\n"                                        \
      "mov r8, r4\n"                                                \
      "mov r9, r5\n"                                                \
      "mov r10, r6\n"                                               \
      "mov r11, r7\n"                                               \
      "ldmia r0!, {r4-r7}\n" /* step, count, rows, row_step */      \
      "str r6, [sp]\n"                                              \
      "subs r7, r7, r5\n"                                           \
      "lsls r7, r7, #1\n"                                           \
      "str r7, [sp, #4]\n"                                          \
      "lsls r5, r5, #" log2_bytes "\n"                              \
      "str r5, [sp, #8]\n"                                          \
      "lsls r5, r4, #1\n"                                           \
      "lsls r6, r5, #1\n"                                           \
      "adds r7, r5, r6\n"                                           \
      "movs r4, #0\n"                                               \
      "mov r0, r1\n"                                                \
      "mov r1, r2\n"                                                \
      "1:\n"                                                        \
      "ldr r2, [sp, #8]\n"                                          \
      "adds r3, r0, r2\n"                                           \
      "mov r12, r3\n"                                               \
      "lsrs r2, r2, #1 + " log2_bytes "\n" /* carry: an odd count */ \
      "bcc 2f\n"                                                    \
      KWS_PRODUCTS(load_weight, bytes)                              \
      "cmp r0, r12\n"                                               \
      "beq 3f\n"                                                    \
      "2:\n"                                                        \
      KWS_PRODUCTS(load_weight, bytes)                              \
      KWS_PRODUCTS(load_weight, bytes)                              \
      "cmp r0, r12\n"                                               \
      "bne 2b\n"                                                    \
      "3:\n"                                                        \
      "ldr r2, [sp, #4]\n"                                          \
      "adds r1, r1, r2\n"                                           \
      "ldr r2, [sp]\n"                                              \
      "subs r2, #1\n"                                               \
      "str r2, [sp]\n"                                              \
      "bne 1b\n"                                                    \
      "ldr r3, [sp, #12]\n"                                         \
      "mov r4, r8\n"                                                \
      "mov r5, r9\n"                                                \
      "mov r6, r10\n"                                               \
      "mov r7, r11\n"                                               \
      "stmia r3!, {r4-r7}\n"                                        \
      "add sp, #16\n"                                               \
      "pop {r4-r7}\n"                                               \
      "mov r8, r4\n"                                                \
      "mov r9, r5\n"                                                \
      "mov r10, r6\n"                                               \
      "mov r11, r7\n"                                               \
      "pop {r4-r7, pc}\n")
// clang-format on

// Arguments are in r0 to r3, in this order.
__attribute__((naked)) void AddFourDots(const FourDots& /*shape*/, const int8_t* /*weights*/,
                                        const int16_t* /*values*/, int32_t* /*sums*/) {
  KWS_ADD_FOUR_DOTS("ldrsb", "1", "0");
}

__attribute__((naked)) void AddFourDots(const FourDots& /*shape*/, const int16_t* /*weights*/,
                                        const int16_t* /*values*/, int32_t* /*sums*/) {
  KWS_ADD_FOUR_DOTS("ldrsh", "2", "1");
}

#undef KWS_ADD_FOUR_DOTS
#undef KWS_PRODUCTS
#undef KWS_PRODUCT

// r0, r2, r4, r5: see Multiply() and WriteChannel(). r1: sums. r3: outputs. r6: halving. r7:
// maximum. r8, r9: the multiplier's halves. r10: offset. r11: minimum. r12: end of the sums. lr:
// step.
// clang-format off
__attribute__((naked)) void m0::Requantize(const Requantization& /*by*/, const int32_t* /*sums*/,
                                           const int32_t* /*end*/, int8_t* /*to*/) {
  __asm__ volatile(
      ".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "mov r7, r11\n"
      "push {r4-r7}\n"
      "mov r12, r2\n"
      "ldmia r0!, {r4-r7}\n"  // low, high, halving, max
      "mov r8, r4\n"
      "mov r9, r5\n"
      "ldmia r0!, {r2, r4, r5}\n"  // offset, min, step
      "mov r10, r2\n"
      "mov r11, r4\n"
      "mov lr, r5\n"
      "1:\n"
      "ldmia r1!, {r0}\n"
      "uxth r2, r0\n"
      "asrs r0, r0, #16\n"
      "mov r4, r8\n"
      "mov r5, r4\n"
      "muls r4, r2, r4\n"
      "muls r5, r0, r5\n"
      "lsrs r4, r4, #16\n"
      "adds r4, r4, r5\n"
      "mov r5, r9\n"
      "muls r2, r5, r2\n"
      "muls r0, r5, r0\n"
      "uxth r5, r4\n"
      "adds r2, r2, r5\n"
      "asrs r4, r4, #16\n"
      "adds r0, r0, r4\n"
      "lsls r0, r0, #1\n"
      "asrs r2, r2, #14\n"
      "adds r2, #1\n"
      "asrs r2, r2, #1\n"
      "adds r0, r0, r2\n"
      "asrs r2, r0, #31\n"
      "adds r0, r0, r2\n"
      "asrs r0, r6\n"
      "adds r0, #1\n"
      "asrs r0, r0, #1\n"
      "add r0, r10\n"
      "cmp r0, r7\n"
      "ble 2f\n"
      "mov r0, r7\n"
      "2:\n"
      "cmp r0, r11\n"
      "bge 3f\n"
      "mov r0, r11\n"
      "3:\n"
      "strb r0, [r3]\n"
      "add r3, lr\n"
      "cmp r1, r12\n"
      "bne 1b\n"
      "pop {r4-r7}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r6\n"
      "mov r11, r7\n"
      "pop {r4-r7, pc}\n");
}
// clang-format on

}  // namespace kws
#endif  // KWS_HAVE_M0
