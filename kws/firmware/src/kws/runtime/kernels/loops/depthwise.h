// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with windows of particular shapes, an image at a time. All processors
// know the shapes and their scratch, because a model's arena has the same size on each of them;
// the loops require kHaveDsp, or avx2::in_use. Others: shared/depthwise_rows.h.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_DEPTHWISE_H_
#define KWS_RUNTIME_KERNELS_LOOPS_DEPTHWISE_H_

#include "kws/runtime/kernels/loops/cortex_m4/dilated.h"
#include "kws/runtime/kernels/loops/cortex_m4/eight_taps.h"
#include "kws/runtime/kernels/loops/cortex_m4/four_channels.h"
#include "kws/runtime/kernels/loops/cortex_m4/one_output_loops.h"
#include "kws/runtime/kernels/loops/cortex_m4/three_by_three.h"
#include "kws/runtime/kernels/loops/x86/depthwise_avx2_loops.h"

#endif  // KWS_RUNTIME_KERNELS_LOOPS_DEPTHWISE_H_
