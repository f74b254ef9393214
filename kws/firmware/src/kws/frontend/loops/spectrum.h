// SPDX-License-Identifier: Apache-2.0
// The loops of a spectrum that take most of its time: the window, the FFT's later stages, and the
// split into the real spectrum's energies.
#ifndef KWS_FRONTEND_LOOPS_SPECTRUM_H_
#define KWS_FRONTEND_LOOPS_SPECTRUM_H_

#include "kws/frontend/loops/processor.h"

#if KWS_FRONTEND_HAVE_DSP
#include "kws/frontend/loops/cortex_m4/spectrum.h"
#else
#include "kws/frontend/loops/portable/spectrum.h"
#endif

#endif  // KWS_FRONTEND_LOOPS_SPECTRUM_H_
