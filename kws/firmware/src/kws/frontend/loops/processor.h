// SPDX-License-Identifier: Apache-2.0
// The processor that the frontend's loops are compiled for; only files in loops/ ask.
// -DKWS_FRONTEND_PORTABLE selects the portable ones, which are the definition. All are
// bit-identical.
#ifndef KWS_FRONTEND_LOOPS_PROCESSOR_H_
#define KWS_FRONTEND_LOOPS_PROCESSOR_H_

// Arm's DSP extension: Cortex-M4, M7, M33.
#if defined(__ARM_FEATURE_DSP) && !defined(KWS_FRONTEND_PORTABLE)
#define KWS_FRONTEND_HAVE_DSP 1
#else
#define KWS_FRONTEND_HAVE_DSP 0
#endif

// Arm's floating-point unit.
#if defined(__arm__) && defined(__ARM_FP) && !defined(KWS_FRONTEND_PORTABLE)
#define KWS_FRONTEND_HAVE_FPU 1
#else
#define KWS_FRONTEND_HAVE_FPU 0
#endif

// All 64-bit x86 processors have it.
#if defined(__x86_64__) && !defined(KWS_FRONTEND_PORTABLE)
#define KWS_FRONTEND_HAVE_SSE2 1
#else
#define KWS_FRONTEND_HAVE_SSE2 0
#endif

#endif  // KWS_FRONTEND_LOOPS_PROCESSOR_H_
