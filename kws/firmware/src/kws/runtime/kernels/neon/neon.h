// SPDX-License-Identifier: Apache-2.0
// The vector instructions of AArch64. Empty on other targets.
// Source: Arm, "Neon Intrinsics Reference" (IHI 0073).
#ifndef KWS_RUNTIME_KERNELS_NEON_NEON_H_
#define KWS_RUNTIME_KERNELS_NEON_NEON_H_

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(KWS_PORTABLE_KERNELS)
#define KWS_HAVE_NEON 1
#include <arm_neon.h>
#else
#define KWS_HAVE_NEON 0
#endif

#endif  // KWS_RUNTIME_KERNELS_NEON_NEON_H_
