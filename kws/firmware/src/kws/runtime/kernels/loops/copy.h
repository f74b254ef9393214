// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_RUNTIME_KERNELS_LOOPS_COPY_H_
#define KWS_RUNTIME_KERNELS_LOOPS_COPY_H_

#include <cstdint>

namespace kws {

// Copies from first to last byte; the ranges may overlap if `to` <= `from`.
void CopyForward(uint8_t* to, const uint8_t* from, int32_t bytes);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_COPY_H_
