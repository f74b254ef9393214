// SPDX-License-Identifier: Apache-2.0
// What the ops with a filter have in common while they prepare: CONV_2D, DEPTHWISE_CONV_2D and
// FULLY_CONNECTED take input, filter and bias (which may be left out), all int8 but the bias.
#ifndef KWS_RUNTIME_KERNELS_SHARED_WEIGHTED_OP_H_
#define KWS_RUNTIME_KERNELS_SHARED_WEIGHTED_OP_H_

#include <cstdint>

#include "runtime/kernel_context.h"
#include "runtime/kernels/shared/output_stage.h"
#include "runtime/kernels/shared/window.h"

namespace kws {

struct WeightedOp {
  // The first data references of the op's record.
  enum References { kInput, kFilter, kBias, kOutput, kScratch, kReferences };

  Tensor input;
  Tensor filter;
  Tensor output;
  uint32_t factors;  // one for all channels or one a channel

  // Reads and checks tensors and bias. The filter has `rank` dimensions, `dimension` counts the
  // output channels.
  Status Read(const PrepareContext& context, OptionsType options, int rank, int dimension);

  // Fills the references, save scratch, and the output stage. The fused activation is in option
  // `activation`; there is room for `factors` behind the op's parameters.
  Status Bind(PrepareContext& context, int activation, OutputStage* stage, int32_t* to) const;

  // The geometry of a convolution whose first options are padding, stride's width and height; the
  // activation's option is followed by the dilation's width and height.
  Status GetWindow(const PrepareContext& context, int activation, Window* window) const;

  int16_t input_offset() const { return static_cast<int16_t>(-input.zero_point); }
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_WEIGHTED_OP_H_
