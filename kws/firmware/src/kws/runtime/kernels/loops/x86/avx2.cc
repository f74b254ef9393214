// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/avx2.h"

#if KWS_MAY_HAVE_AVX2
#include <cpuid.h>

namespace kws {
namespace avx2 {
namespace {

// Whether the processor has AVX2 and the system saves its registers (Intel's manual, volume 1,
// 14.3). __builtin_cpu_supports reads a table of the compiler's library, which is empty in that of
// zig 0.17, and may be filled after `in_use` where constructors have no priority (macOS).
bool IsHere() {
  constexpr unsigned kSavedRegisters = 6;  // XMM and YMM
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  if ((a & kSavedRegisters) != kSavedRegisters) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0;
}

}  // namespace

bool in_use = IsHere();

bool Use(bool on) {
  in_use = on && IsHere();
  return in_use;
}

}  // namespace avx2
}  // namespace kws
#endif
