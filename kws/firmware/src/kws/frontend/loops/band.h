// SPDX-License-Identifier: Apache-2.0
// AddBand: adds the weighted energies of a band's bins (at least one) to the falling channel.
// Returns the weighted energies of the rising channel.
#ifndef KWS_FRONTEND_LOOPS_BAND_H_
#define KWS_FRONTEND_LOOPS_BAND_H_

#include "kws/frontend/loops/processor.h"

#if KWS_FRONTEND_HAVE_DSP
#include "kws/frontend/loops/cortex_m4/band.h"
#else
#include "kws/frontend/loops/portable/band.h"
#endif

#endif  // KWS_FRONTEND_LOOPS_BAND_H_
