// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of float32 and of int16 with int8 weights: one
// portable loop, in TFLM's order of sums.
#ifndef KWS_RUNTIME_KERNELS_SHARED_PLAIN_FILTER_H_
#define KWS_RUNTIME_KERNELS_SHARED_PLAIN_FILTER_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/exact_floats.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {

// A convolution; a FULLY_CONNECTED has one tap per row of its input.
struct PlainConv {
  Window window;
  int32_t pixels;        // FULLY_CONNECTED: rows
  int32_t depth;         // input values per tap
  int32_t channels;      // output values per pixel
  int32_t shared;        // consecutive output channels that read the same input channels
  int32_t tap_step;      // filter values between neighbouring taps
  int32_t channel_step;  // filter values between neighbouring output channels
};

struct PlainFilter {
  enum References { kInput, kFilter, kBias, kOutput, kReferences };

  Tensor input;
  Tensor filter;
  Tensor output;
  Tensor bias;  // if has_bias
  bool has_bias;
  PlainConv conv;

  // Read and check tensors and shapes of an op; `value` and `weight` are the types.
  Status ReadConv(const PrepareContext& context, TensorType value, TensorType weight);
  Status ReadDepthwise(const PrepareContext& context, TensorType value, TensorType weight);
  Status ReadRows(const PrepareContext& context, TensorType value, TensorType weight);

  void Bind(PrepareContext& context) const {
    context.BindInput(kInput, 0);
    context.BindInput(kFilter, 1);
    context.BindInput(kBias, 2);
    context.BindOutput(kOutput, 0);
  }

 private:
  Status Read(const PrepareContext& context, TensorType value, TensorType weight, int rank);
  Status ReadWindow(const PrepareContext& context, int activation);
};

// The sum of products of one output. `first`: the filter's first value.
template <typename Sum, typename Value, typename Weight>
Sum SumOfTaps(const PlainConv& conv, const Value* image, const Weight* first, int y, int x) {
  const Window& window = conv.window;
  const int top = y * window.stride_height - window.pad_top;
  const int left = x * window.stride_width - window.pad_left;
  const TapRange rows = ValidTaps(top, window.height, window.dilation_height, window.in_height);
  const TapRange columns = ValidTaps(left, window.width, window.dilation_width, window.in_width);
  Sum sum = 0;
  for (int row = rows.begin; row < rows.end; ++row) {
    for (int column = columns.begin; column < columns.end; ++column) {
      const int32_t pixel = (top + row * window.dilation_height) * window.in_width + left +
                            column * window.dilation_width;
      const Value* values = image + pixel * window.in_channels;
      const Weight* weights = first + (row * window.width + column) * conv.tap_step;
      for (int32_t i = 0; i < conv.depth; ++i) {
        sum += static_cast<Sum>(LoadAs<Value>(values + i)) *
               static_cast<Sum>(LoadAs<Weight>(weights + i));
      }
    }
  }
  return sum;
}

// Writes all outputs: finish(channel, sum).
template <typename Sum, typename Value, typename Weight, typename Finish>
void RunPlainConv(const PlainConv& conv, const Value* input, const Weight* filter, Value* output,
                  const Finish& finish) {
  const Window& window = conv.window;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int y = 0; y < window.out_height; ++y) {
      for (int x = 0; x < window.out_width; ++x) {
        for (int32_t channel = 0; channel < conv.channels; ++channel) {
          const Sum sum = SumOfTaps<Sum>(conv, input + channel / conv.shared * conv.depth,
                                         filter + channel * conv.channel_step, y, x);
          *output++ = finish(channel, sum);
        }
      }
    }
    input += static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
  }
}

template <typename Sum, typename Value, typename Weight, typename Finish>
void RunPlainRows(const PlainConv& conv, const Value* input, const Weight* filter, Value* output,
                  const Finish& finish) {
  for (int32_t row = 0; row < conv.pixels; ++row) {
    const Weight* weights = filter;
    for (int32_t channel = 0; channel < conv.channels; ++channel) {
      Sum sum = 0;
      for (int32_t i = 0; i < conv.depth; ++i) {
        sum += static_cast<Sum>(LoadAs<Value>(input + i)) *
               static_cast<Sum>(LoadAs<Weight>(weights + i));
      }
      weights += conv.depth;
      *output++ = finish(channel, sum);
    }
    input += conv.depth;
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_PLAIN_FILTER_H_
