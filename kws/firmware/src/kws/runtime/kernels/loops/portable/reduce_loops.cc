// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/loops/reduce.h"

namespace kws {

int32_t SumOfValues(const int8_t* values, int32_t count, int32_t stride, int32_t sum) {
  uint32_t total = static_cast<uint32_t>(sum);
#pragma GCC unroll 4
  for (int32_t i = count; i > 0; --i) {
    total += static_cast<uint32_t>(*values);
    values += stride;
  }
  return static_cast<int32_t>(total);
}

}  // namespace kws
