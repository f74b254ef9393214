// SPDX-License-Identifier: Apache-2.0
// Operands of matrix products.
#ifndef KWS_RUNTIME_KERNELS_SHARED_FILTERS_H_
#define KWS_RUNTIME_KERNELS_SHARED_FILTERS_H_

#include <cstdint>

#include "kws/runtime/kernels/shared/output_stage.h"

namespace kws {

constexpr int kDotRows = 4;  // filters that DotRows multiplies at once

// Filters and their output stage.
struct Filters {
  const int8_t* weights;
  const int32_t* bias;  // or null
  Outputs outputs;
  int32_t taps;
  int count;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_FILTERS_H_
