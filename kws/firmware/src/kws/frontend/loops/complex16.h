// SPDX-License-Identifier: Apache-2.0
// Complex numbers of two int16 with the rounding of KISS FFT's 16-bit fixed point, as in the
// reference (docs/frontend.md, "FFT").
//
// In memory a number is a uint32_t: the real part in the low half, the imaginary part in the high
// half. A Complex holds kLanes consecutive numbers; functions work on each lane. The portable
// version is the definition.
//
// As in the reference, sums wrap around like int16_t, which loud artificial sound reaches.
#ifndef KWS_FRONTEND_LOOPS_COMPLEX16_H_
#define KWS_FRONTEND_LOOPS_COMPLEX16_H_

#include "kws/frontend/loops/processor.h"

#if KWS_FRONTEND_HAVE_DSP
#include "kws/frontend/loops/cortex_m4/complex16.h"
#elif KWS_FRONTEND_HAVE_SSE2
#include "kws/frontend/loops/x86/complex16.h"
#else
#include "kws/frontend/loops/portable/complex16.h"
#endif

#endif  // KWS_FRONTEND_LOOPS_COMPLEX16_H_
