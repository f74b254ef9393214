// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: each input pixel is multiplied with the filter and added to a window of the
// output. Computed per output, from the input pixels whose windows contain it, in TFLM's order of
// sums.
#ifndef KWS_RUNTIME_KERNELS_SHARED_TRANSPOSE_CONV_H_
#define KWS_RUNTIME_KERNELS_SHARED_TRANSPOSE_CONV_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/exact_floats.h"
#include "kws/runtime/kernels/shared/plain_filter.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {

enum TransposeConvOptions { kTransposeConvActivation = 3 };
constexpr int kTransposeConvReferences = PlainFilter::kReferences;  // of the int8 kernel

// The window of the convolution from the op's output to its input.
Status ReadTransposeConv(const PrepareContext& context, TensorType value, TensorType weight,
                         PlainFilter* op);
void BindTransposeConv(PrepareContext& context);

// The input pixels [begin, end) along one side whose windows contain an output.
inline TapRange PixelsOver(int output, int pad, int taps, int stride, int inputs) {
  const int last = output + pad;
  TapRange range{0, last / stride + 1};
  if (last >= taps) range.begin = (last - taps) / stride + 1;
  if (range.end > inputs) range.end = inputs;
  if (range.end < range.begin) range.end = range.begin;
  return range;
}

// Writes all outputs: finish(channel, sum).
template <typename Sum, typename Value, typename Weight, typename Finish>
void RunTransposeConv(const Window& window, const Value* input, Sum offset, const Weight* filter,
                      Value* output, const Finish& finish) {
  const int32_t depth = window.out_channels;
  const int32_t filter_size = static_cast<int32_t>(window.height) * window.width * depth;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int y = 0; y < window.in_height; ++y) {
      const TapRange rows =
          PixelsOver(y, window.pad_top, window.height, window.stride_height, window.out_height);
      for (int x = 0; x < window.in_width; ++x) {
        const TapRange columns =
            PixelsOver(x, window.pad_left, window.width, window.stride_width, window.out_width);
        for (int32_t channel = 0; channel < window.in_channels; ++channel) {
          const Weight* taps = filter + channel * filter_size;
          Sum sum = 0;
          for (int row = rows.begin; row < rows.end; ++row) {
            const int tap_y = y + window.pad_top - row * window.stride_height;
            for (int column = columns.begin; column < columns.end; ++column) {
              const int tap_x = x + window.pad_left - column * window.stride_width;
              const Value* values = input + (row * window.out_width + column) * depth;
              const Weight* weights = taps + (tap_y * window.width + tap_x) * depth;
              for (int32_t i = 0; i < depth; ++i) {
                sum += (static_cast<Sum>(LoadAs<Value>(values + i)) + offset) *
                       static_cast<Sum>(LoadAs<Weight>(weights + i));
              }
            }
          }
          *output++ = finish(channel, sum);
        }
      }
    }
    input += static_cast<int32_t>(window.out_height) * window.out_width * depth;
  }
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_TRANSPOSE_CONV_H_
