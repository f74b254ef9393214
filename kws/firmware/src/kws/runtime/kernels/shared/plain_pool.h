// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D of other types than int8: one portable loop.
#ifndef KWS_RUNTIME_KERNELS_SHARED_PLAIN_POOL_H_
#define KWS_RUNTIME_KERNELS_SHARED_PLAIN_POOL_H_

#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/shared/exact_floats.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {

// Reads and checks an op's tensors and options.
Status ReadPool(const PrepareContext& context, TensorType type, Tensor* output, Window* window,
                Activation* activation);

// Range: of the activation.
template <typename Range>
struct alignas(4) PlainPoolParams {
  Window window;
  Range range;
};

// `references` of the record.
template <typename Range>
Status StorePool(PrepareContext& context, int references, const Window& window,
                 const Range& range) {
  PlainPoolParams<Range>* params;
  KWS_RETURN_IF_ERROR(context.Allocate(references, &params));
  context.BindInput(0, 0);
  context.BindOutput(1, 0);
  params->window = window;
  params->range = range;
  return Status::kOk;
}

// Writes all outputs. Pool: Add(value), for each tap inside the image, and Result().
template <typename Pool, typename T>
void RunPlainPool(const Window& window, const T* image, T* output, const Pool& start) {
  const int channels = window.in_channels;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int y = 0; y < window.out_height; ++y) {
      const int top = y * window.stride_height - window.pad_top;
      const TapRange rows = ValidTaps(top, window.height, window.in_height);
      for (int x = 0; x < window.out_width; ++x) {
        const int left = x * window.stride_width - window.pad_left;
        const TapRange columns = ValidTaps(left, window.width, window.in_width);
        for (int channel = 0; channel < channels; ++channel) {
          Pool pool = start;
          for (int row = rows.begin; row < rows.end; ++row) {
            const T* values = image + ((top + row) * window.in_width + left) * channels + channel;
            for (int column = columns.begin; column < columns.end; ++column) {
              pool.Add(LoadAs<T>(values + column * channels));
            }
          }
          *output++ = pool.Result();
        }
      }
    }
    image += static_cast<int32_t>(window.in_height) * window.in_width * channels;
  }
}

template <typename T, typename Range, typename Pool>
void InvokePlainPool(const InvokeContext& context) {
  const PlainPoolParams<Range>& params = context.Params<PlainPoolParams<Range>>();
  RunPlainPool(params.window, context.Data<T>(0), context.MutableData<T>(1), Pool(params.range));
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_PLAIN_POOL_H_
