// SPDX-License-Identifier: Apache-2.0
// The Cortex-M4's SIMD instructions. Empty on other targets.
// Source: ARM DDI 0403E, chapter A7 (SMLAD, SXTB16, SXTAB16, PKHBT, SMMULR, SSAT, SSUB8, SEL).
#ifndef KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_DSP_H_
#define KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_DSP_H_

#include "kws/runtime/kernels/loops/processor.h"

#if KWS_HAVE_DSP
#include <arm_acle.h>

#include <cstdint>

namespace kws {
namespace dsp {

// Two 16-bit halves in a word, the first in the low half.
inline uint32_t Pack(int32_t low, int32_t high) {
  return (static_cast<uint32_t>(low) & 0xffffu) | (static_cast<uint32_t>(high) << 16);
}

// The low halves of two words; the high halves.
inline uint32_t PackLow(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
inline uint32_t PackHigh(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(result) : "r"(b), "r"(a));
  return result;
}

// Bytes 0 and 2 of a word as two int16; bytes 1 and 3. In assembly, because the compiler does not
// fold the rotation into the instruction.
inline uint32_t Even(uint32_t bytes) { return static_cast<uint32_t>(__sxtb16(bytes)); }
inline uint32_t Odd(uint32_t bytes) {
  uint32_t result;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(bytes));
  return result;
}

// The same, added to the halves of `base`.
inline uint32_t AddEven(uint32_t base, uint32_t bytes) {
  return static_cast<uint32_t>(__sxtab16(base, bytes));
}
inline uint32_t AddOdd(uint32_t base, uint32_t bytes) {
  uint32_t result;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(result) : "r"(base), "r"(bytes));
  return result;
}

// sum + a.low * b.low + a.high * b.high
inline int32_t MulAddPairs(uint32_t a, uint32_t b, int32_t sum) { return __smlad(a, b, sum); }

inline int32_t SaturatingDouble(int32_t x) { return __qadd(x, x); }

// The upper word of a * b, rounded, halves up.
inline int32_t RoundingHighWord(int32_t a, int32_t b) {
  int32_t result;
  __asm__("smmulr %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

// RoundingHighMul of loops/arithmetic.h for |a| < 2^30; doubling a larger one saturates.
inline int32_t RoundingHighMulOfSmall(int32_t a, int32_t b) {
  return RoundingHighWord(SaturatingDouble(a), b);
}

inline int32_t SaturateToInt8(int32_t x) { return __ssat(x, 8); }

// A byte repeated in a word.
inline uint32_t FourTimes(int8_t byte) { return static_cast<uint8_t>(byte) * 0x01010101u; }

// Maximum and minimum of four int8: SSUB8 sets the flags that SEL reads.
inline uint32_t LargerBytes(uint32_t a, uint32_t b) {
  __ssub8(static_cast<int8x4_t>(a), static_cast<int8x4_t>(b));
  return static_cast<uint32_t>(__sel(a, b));
}
inline uint32_t SmallerBytes(uint32_t a, uint32_t b) {
  __ssub8(static_cast<int8x4_t>(b), static_cast<int8x4_t>(a));
  return static_cast<uint32_t>(__sel(a, b));
}

// Stores two words at an address aligned to 2.
inline void StoreTwo(int16_t* to, uint32_t first, uint32_t second) {
  __builtin_memcpy(to, &first, 4);
  __builtin_memcpy(to + 2, &second, 4);
}

// 1 to 3 bytes as a word, the rest zero.
inline uint32_t LoadTail(const int8_t* from, int32_t count) {
  uint32_t word = static_cast<uint8_t>(from[0]);
  if (count > 1) word |= static_cast<uint32_t>(static_cast<uint8_t>(from[1])) << 8;
  if (count > 2) word |= static_cast<uint32_t>(static_cast<uint8_t>(from[2])) << 16;
  return word;
}

}  // namespace dsp
}  // namespace kws

// Outputs::Factor in assembly: replaces the sum in a register by the output.
// clang-format off
#define KWS_SCALE(sum, multiplier, bias, right) \
  "qadd " sum ", " sum ", " sum "\n" \
  "smmulr " sum ", " sum ", " multiplier "\n" \
  "add " sum ", " sum ", " sum ", asr #31\n" \
  "add " sum ", " bias "\n" \
  "asr " sum ", " right "\n" \
  "ssat " sum ", #8, " sum "\n"
// clang-format on
#endif  // KWS_HAVE_DSP

#endif  // KWS_RUNTIME_KERNELS_LOOPS_CORTEX_M4_DSP_H_
