// SPDX-License-Identifier: Apache-2.0
// RoundedSqrt: a channel's amplitude.
#ifndef KWS_FRONTEND_LOOPS_ROOT_H_
#define KWS_FRONTEND_LOOPS_ROOT_H_

#include "kws/frontend/loops/processor.h"

#if KWS_FRONTEND_HAVE_FPU
#include "kws/frontend/loops/cortex_m4/root.h"
#elif KWS_FRONTEND_HAVE_SSE2
#include "kws/frontend/loops/x86/root.h"
#else
#include "kws/frontend/loops/portable/root.h"
#endif

#endif  // KWS_FRONTEND_LOOPS_ROOT_H_
