// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/x86/avx2.h"

#if KWS_MAY_HAVE_AVX2
namespace kws {
namespace avx2 {

bool in_use = IsHere();

}  // namespace avx2
}  // namespace kws
#endif
