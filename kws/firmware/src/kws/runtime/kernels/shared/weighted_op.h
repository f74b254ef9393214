// SPDX-License-Identifier: Apache-2.0
// Prepare of the ops with a filter: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, with an int8
// input, an int8 filter and an optional int32 bias.
#ifndef KWS_RUNTIME_KERNELS_SHARED_WEIGHTED_OP_H_
#define KWS_RUNTIME_KERNELS_SHARED_WEIGHTED_OP_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {

struct WeightedOp {
  // The first data references of the op's record.
  enum References { kInput, kFilter, kBias, kOutput, kScratch, kReferences };

  Tensor input;
  Tensor filter;
  Tensor output;
  uint32_t factors;  // one for all channels or one per channel

  // Reads and checks tensors and bias. `rank`: the filter's rank; `dimension`: its dimension of
  // output channels.
  Status Read(const PrepareContext& context, OptionsType options, int rank, int dimension);

  // Binds all references except scratch, and fills the output stage. `activation`: the option of
  // the fused activation. `to`: room for `factors` factors.
  Status Bind(PrepareContext& context, int activation, OutputStage* stage, int32_t* to) const;

  // The geometry of a convolution. Options: padding, stride width and height, ..., `activation`,
  // dilation width and height.
  Status GetWindow(const PrepareContext& context, int activation, Window* window) const;

  int16_t input_offset() const { return static_cast<int16_t>(-input.zero_point); }
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_WEIGHTED_OP_H_
