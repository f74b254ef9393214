// SPDX-License-Identifier: Apache-2.0
// LOGISTIC and TANH, int8: the input as Q4.27, then gemmlowp's fixed-point functions.
#ifndef KWS_RUNTIME_KERNELS_SHARED_SIGMOID_H_
#define KWS_RUNTIME_KERNELS_SHARED_SIGMOID_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/lookup_table.h"

namespace kws {

struct alignas(4) SigmoidParams {
  LookupTable map;
  int32_t multiplier;  // from input - zero_point to Q4.27
  int32_t limit;       // inputs at least this far from the zero point saturate
  int16_t zero_point;
  uint8_t left_shift;
};

// Allocates the record. ReadInt8Elementwise must have checked input and output.
Status PrepareSigmoid(PrepareContext& context, const Tensor& input);

// A function of a Q4.27 number in (-15, 15), as int8.
using SigmoidFunction = int32_t (*)(int32_t x);

void ComputeSigmoid(const SigmoidParams& params, SigmoidFunction function, const int8_t* input,
                    int8_t* output, int32_t count);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_SIGMOID_H_
