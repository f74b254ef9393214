// SPDX-License-Identifier: Apache-2.0
// CONV_2D, int8: NHWC input, filter [out channels][height][width][in channels / groups].
//
// im2col on several output pixels at a time, with the zero point subtracted, so that padding costs
// nothing in the inner loop; then every filter is multiplied with all columns. Outputs are written
// after their inputs were read, so that the output may overlap the input: by pixels for 1x1
// windows, else by rows.
//
// An output of a single pixel, as in models that process frame by frame, is computed like
// FULLY_CONNECTED. A window of three columns over a single input channel is a depthwise
// convolution.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/depthwise.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/gather.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/image_sides.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/weighted_op.h"
#include "kws/runtime/kernels/shared/window.h"
#include "kws/runtime/model/flatbuffer.h"

namespace kws {
namespace {

constexpr int kActivation = 3;  // its option

// Followed by the output stage's factors.
struct alignas(4) Params {
  Window window;
  int16_t input_offset;
  OutputStage stage;
  uint16_t depth;  // input channels per filter
  bool by_pixel;   // a window is one pixel of the input, and pixels are consecutive
};

PlanEntry::Overlap PixelOverlap(const Window& window, int32_t input_bytes, int32_t output_bytes) {
  const int32_t growth = window.out_channels - window.in_channels;
  const int32_t forward = output_bytes - input_bytes;
  const int32_t backward = -growth * (window.in_height * window.in_width * window.batches - 1);
  return {forward > 0 ? forward : 0, backward > 0 ? backward : 1, false};
}

// Shapes with a dedicated kernel: outputs of one pixel, of many pixels, and one input channel. kAny
// also takes activations that clip.
enum Kinds { kOnePixel = 1, kManyPixels = 2, kOneChannel = 4, kAny = 7 };

int32_t PixelsOf(const Window& window) {
  return static_cast<int32_t>(window.batches) * window.out_height * window.out_width;
}

// The window over a single input channel, shared by all filters.
Sides OneChannel(const Window& window) {
  Sides sides(window);
  sides.rows.filter_step = window.width;
  sides.columns.filter_step = 1;
  return sides;
}

bool IsOneChannel(const Window& window) {
  return window.in_channels == 1 && IsThreeTaps(OneChannel(window));
}

template <int kKinds>
Status Prepare(PrepareContext& context) {
  WeightedOp op;
  KWS_RETURN_IF_ERROR(op.Read(context, OptionsType::kConv2D, 4, 0));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(WeightedOp::kReferences, &params, FactorBytes(op.factors)));
  Window& window = params->window;
  KWS_RETURN_IF_ERROR(op.GetWindow(context, kActivation, &window));
  const int32_t depth = op.filter.dims[3];
  if (window.out_channels != op.filter.dims[0] || window.in_channels % depth != 0 ||
      window.out_channels % (window.in_channels / depth) != 0) {
    return Status::kUnsupportedShape;
  }
  const bool one_channel = IsOneChannel(window);
  const int kind = PixelsOf(window) == 1 ? kOnePixel : one_channel ? kOneChannel : kManyPixels;
  if ((kind & kKinds) == 0) return Status::kUnsupportedShape;
  params->input_offset = op.input_offset();
  params->depth = static_cast<uint16_t>(depth);
  const bool grouped = depth != window.in_channels;
  params->by_pixel = window.height == 1 && window.width == 1 && window.stride_height == 1 &&
                     window.stride_width == 1 && !grouped;

  // The im2col columns and one window of the image. A single channel without fast requantization
  // uses them too, so scratch is the maximum of both kernels.
  const uint32_t taps = op.filter.elements / static_cast<uint32_t>(op.filter.dims[0]);
  uint32_t scratch = 2 * Im2colSize(taps) + (params->by_pixel ? 0 : taps);
  if ((kKinds & kOneChannel) != 0) {
    const uint32_t other = one_channel ? ThreeByThreeScratch(OneChannel(window)) : 0;
    if (other > scratch) scratch = other;
  }
  KWS_RETURN_IF_ERROR(context.BindScratch(WeightedOp::kScratch, scratch));
  if (one_channel) {
    // Input rows are read from first to last, before their outputs are written.
    PlanEntry::Overlap overlap = RowOverlap(window);
    overlap.backward = PlanEntry::kFar;
    context.AllowOverlap(0, 0, overlap);
  } else if (params->by_pixel) {
    context.AllowOverlap(0, 0,
                         PixelOverlap(window, static_cast<int32_t>(op.input.bytes),
                                      static_cast<int32_t>(op.output.bytes)));
  } else if (!grouped) {
    context.AllowOverlap(0, 0, RowOverlap(window));
  }
  KWS_RETURN_IF_ERROR(
      op.Bind(context, kActivation, &params->stage, reinterpret_cast<int32_t*>(params + 1)));
  return kKinds == kAny || !params->stage.clips() ? Status::kOk : Status::kUnsupportedShape;
}

// Shared by all pixels of a call.
struct Work {
  const Params& params;
  const int8_t* input;
  const int8_t* filter;
  const int32_t* bias;
  int8_t* output;
  int16_t* columns;
  int8_t* window;  // of one pixel
  Outputs outputs;
  int32_t taps;

  // The filters of `count` output channels.
  Filters FiltersFrom(int channel, int count) const {
    Filters filters{filter + channel * taps, bias == nullptr ? nullptr : bias + channel, outputs,
                    taps, count};
    filters.outputs.Skip(channel);
    return filters;
  }
};

// Writes the outputs of `count` sums without biases, from channel `first` on.
void Write(const Filters& filters, int32_t first, int count, const int32_t* sums, int8_t* to) {
  const int32_t* biases = filters.bias == nullptr ? nullptr : filters.bias + first;
  if (kHaveDsp && filters.outputs.fast_requantize()) {
    filters.outputs.RequantizeFast(first, count, sums, biases, to + first);
    return;
  }
  for (int i = 0; i < count; ++i) {
    int32_t sum = sums[i];
    if (biases != nullptr) sum = WrappingAdd(sum, LoadAs<int32_t>(biases + i));
    to[first + i] = filters.outputs.At(first + i, sum);
  }
}

// Multiplies every filter with one column of int8. The outputs are consecutive.
void MultiplyRows(const Filters& filters, const int8_t* input, int32_t offset, int8_t* to) {
  constexpr int kAtOnce = 4 * kDotRows;
  const int8_t* weights = filters.weights;
  for (int32_t channel = 0; channel < filters.count;) {
    int32_t sums[kAtOnce];
    const int32_t left = filters.count - channel;
    const int count = left < kAtOnce ? static_cast<int>(left) : kAtOnce;
    int i = 0;
    for (; i + kDotRows <= count; i += kDotRows) {
      DotRows(input, weights, filters.taps, offset, sums + i);
      weights += kDotRows * filters.taps;
    }
    for (; i < count; ++i) {
      sums[i] = Dot(input, weights, filters.taps, offset);
      weights += filters.taps;
    }
    Write(filters, channel, count, sums, to);
    channel += count;
  }
}

// An output of one pixel. The window is always copied, because the output may overlap the input.
void ConvolvePixel(const Work& work) {
  const Params& params = work.params;
  const Window& window = params.window;
  const int groups = window.in_channels / params.depth;
  const int filters = window.out_channels / groups;
  int8_t* const taps = reinterpret_cast<int8_t*>(work.columns);
  for (int group = 0; group < groups; ++group) {
    GatherWindow(window, params.depth, static_cast<int8_t>(-params.input_offset),
                 work.input + group * params.depth, 0, 0, taps);
    const int channel = group * filters;
    MultiplyRows(work.FiltersFrom(channel, filters), taps, params.input_offset,
                 work.output + channel);
  }
}

// Pixels `first` to `first + count - 1` of the output, counted over rows and batches.
void ConvolvePixels(const Work& work, int32_t first, int count) {
  const Params& params = work.params;
  const Window& window = params.window;
  const int groups = window.in_channels / params.depth;
  const int filters = window.out_channels / groups;
  const int32_t image_bytes =
      static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
  const int32_t row = first / window.out_width;
  for (int group = 0; group < groups; ++group) {
    int x = static_cast<int>(first % window.out_width);
    int y = static_cast<int>(row % window.out_height);
    const int8_t* image = work.input + row / window.out_height * image_bytes + group * params.depth;
    for (int i = 0; i < count; ++i) {
      const int8_t* from = work.window;
      if (params.by_pixel) {
        from = work.input + (first + i) * work.taps;
      } else {
        GatherWindow(window, params.depth, static_cast<int8_t>(-params.input_offset), image, y, x,
                     work.window);
        if (++x == window.out_width) {
          x = 0;
          if (++y == window.out_height) {
            y = 0;
            image += image_bytes;
          }
        }
      }
      WriteIm2colColumn(from, work.taps, params.input_offset, i, work.columns);
    }
    const int channel = group * filters;
    MultiplyIm2col(work.FiltersFrom(channel, filters), work.columns, count,
                   work.output + first * window.out_channels + channel, window.out_channels);
  }
}

// All outputs. Requires fast requantization.
void ConvolveOneChannel(const Work& work) {
  if (!kHaveDsp) return;  // without optimization, this function is kept on other processors
  const Window& window = work.params.window;
  const Sides sides = OneChannel(window);
  DepthwiseRows image{window,      work.params.input_offset,
                      work.input,  work.filter,
                      work.bias,   work.outputs,
                      work.output, work.columns};
  for (int batch = 0; batch < window.batches; ++batch) {
    RunThreeTaps(image, sides);
    image.input += static_cast<int32_t>(window.in_height) * window.in_width;
    image.output +=
        static_cast<int32_t>(window.out_height) * window.out_width * window.out_channels;
  }
}

template <int kKinds>
void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const Window& window = params.window;
  const int32_t taps = static_cast<int32_t>(window.height) * window.width * params.depth;
  int16_t* columns = context.MutableData<int16_t>(WeightedOp::kScratch);
  const Work work{
      params,
      context.Data<int8_t>(WeightedOp::kInput),
      context.Data<int8_t>(WeightedOp::kFilter),
      context.Data<int32_t>(WeightedOp::kBias),
      context.MutableData<int8_t>(WeightedOp::kOutput),
      columns,
      reinterpret_cast<int8_t*>(columns + Im2colSize(static_cast<uint32_t>(taps))),
      Outputs(params.stage, context.Extra<int32_t, Params>(), window.out_channels),
      taps,
  };
  const int32_t pixels = PixelsOf(window);
  if ((kKinds & kOnePixel) != 0) {
    if (kKinds == kOnePixel || pixels == 1) {
      ConvolvePixel(work);
      if (kKinds == kAny) work.outputs.Clip(work.output, window.out_channels);
      return;
    }
  }
  if (kHaveDsp && (kKinds & kOneChannel) != 0 && work.outputs.fast_requantize() &&
      IsOneChannel(window)) {
    ConvolveOneChannel(work);
    if (kKinds == kAny) work.outputs.Clip(work.output, pixels * window.out_channels);
    return;
  }
  const bool backward = work.output > work.input;
  const int at_once = Im2colColumns(static_cast<uint32_t>(taps));
  for (int32_t done = 0; done < pixels; done += at_once) {
    const int32_t left = pixels - done;
    const int count = left < at_once ? static_cast<int>(left) : at_once;
    ConvolvePixels(work, backward ? left - count : done, count);
  }
  if (kKinds == kAny) {
    work.outputs.Clip(work.output, pixels * window.out_channels);
  }
}

}  // namespace

// The kernel of these kinds.
#define KWS_CONV(Name, kinds)                                                                 \
  constexpr Registration kernels::k##Name{BuiltinOp::kConv2D, Prepare<kinds>, Invoke<kinds>}; \
  void kernels::invoke::Name(const InvokeContext& context) { Invoke<kinds>(context); }
KWS_CONV(Conv2D, kAny)
KWS_CONV(Conv2DManyPixels, kManyPixels)
KWS_CONV(Conv2DOnePixel, kOnePixel)
#undef KWS_CONV

}  // namespace kws
