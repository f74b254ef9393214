// SPDX-License-Identifier: Apache-2.0
// Keeps the compiler from fusing products and sums in all that follows, so that float32 kernels
// have the same bits on all targets. Include it before templates that compute with floats.
#ifndef KWS_RUNTIME_KERNELS_SHARED_EXACT_FLOATS_H_
#define KWS_RUNTIME_KERNELS_SHARED_EXACT_FLOATS_H_

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#endif  // KWS_RUNTIME_KERNELS_SHARED_EXACT_FLOATS_H_
