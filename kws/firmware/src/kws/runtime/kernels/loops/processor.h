// SPDX-License-Identifier: Apache-2.0
// The processor that the loops are compiled for. Only files in loops/ ask the preprocessor;
// elsewhere kHaveDsp is a condition like any other, and the compiler drops the branch that cannot
// run, with its calls of loops that are not defined.
//
// -DKWS_PORTABLE_KERNELS selects the portable loops.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_PROCESSOR_H_
#define KWS_RUNTIME_KERNELS_LOOPS_PROCESSOR_H_

// The SIMD instructions of the Cortex-M4, M7 and M33: loops/cortex_m4/.
#if defined(__ARM_FEATURE_DSP) && !defined(KWS_PORTABLE_KERNELS)
#define KWS_HAVE_DSP 1
#else
#define KWS_HAVE_DSP 0
#endif

// Only the first instruction set of Thumb, as in the Cortex-M0, M0+ and M23: loops/m0/.
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 1 && !defined(__ARM_ARCH_ISA_ARM) && \
    !defined(KWS_PORTABLE_KERNELS)
#define KWS_HAVE_M0 1
#else
#define KWS_HAVE_M0 0
#endif

// Helium, the vector instructions of the Cortex-M55 and M85, which have the others too:
// loops/mve/, and loops/cortex_m4/ where it has no loop.
#if defined(__ARM_FEATURE_MVE) && !defined(KWS_PORTABLE_KERNELS)
#define KWS_HAVE_MVE 1
#else
#define KWS_HAVE_MVE 0
#endif

// The vector instructions of AArch64: loops/neon/.
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(KWS_PORTABLE_KERNELS)
#define KWS_HAVE_NEON 1
#else
#define KWS_HAVE_NEON 0
#endif

// AVX2, where the compiler can generate it and, at run time, the processor has it: loops/x86/.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(KWS_PORTABLE_KERNELS)
#define KWS_MAY_HAVE_AVX2 1
#else
#define KWS_MAY_HAVE_AVX2 0
#endif

namespace kws {

// Whether loops/cortex_m4/ is compiled: fast requantization, and the loops of depthwise.h.
constexpr bool kHaveDsp = KWS_HAVE_DSP != 0;

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_PROCESSOR_H_
