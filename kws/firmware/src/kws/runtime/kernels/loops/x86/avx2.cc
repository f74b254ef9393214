// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/avx2.h"

#if KWS_MAY_HAVE_AVX2
namespace kws {
namespace avx2 {
namespace {

bool IsHere() {
  __builtin_cpu_init();  // on macOS, `in_use` may be initialized before the compiler's table
  return __builtin_cpu_supports("avx2") != 0;
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
