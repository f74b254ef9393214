// DEPTHWISE_CONV_2D, int8: NHWC input, filter [1][height][width][out channels]; output channel
// c * multiplier + m is input channel c with its own window.
#include "runtime/kernel_context.h"
#include "runtime/kernels/depthwise_rows.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/quantization.h"
#include "runtime/kernels/window.h"

namespace kws {
namespace {

enum Options {
  kPadding = 0,
  kStrideWidth = 1,
  kStrideHeight = 2,
  kDepthMultiplier = 3,
  kActivation = 4,
  kDilationWidth = 5,
  kDilationHeight = 6,
};
enum References { kInput, kFilter, kBias, kOutput, kScratch, kReferences };

// Followed by the output stage's factors.
struct alignas(4) Params {
  Window window;
  int16_t input_offset;
  OutputStage stage;
  bool by_rows;  // without dilation, see depthwise_rows.h
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor filter;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kDepthwiseConv2D));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Input(1, &filter));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != TensorType::kInt8 || filter.type != TensorType::kInt8 ||
      output.type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  if (!filter.is_constant()) return Status::kUnsupportedOption;
  if (filter.rank != 4 || filter.dims[0] != 1 || input.rank != 4) return Status::kUnsupportedShape;
  KWS_RETURN_IF_ERROR(CheckBias(context, filter.dims[3]));
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  KWS_RETURN_IF_ERROR(CheckQuantized(output));
  uint32_t count;
  KWS_RETURN_IF_ERROR(FactorCount(filter, filter.dims[3], 3, &count));

  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params, FactorBytes(count)));
  Window& window = params->window;
  const WindowOptions options{
      static_cast<Padding>(context.Option<uint8_t>(kPadding, 0)),
      filter.dims[1],
      filter.dims[2],
      context.Option<int32_t>(kStrideHeight, 0),
      context.Option<int32_t>(kStrideWidth, 0),
      context.Option<int32_t>(kDilationHeight, 1),
      context.Option<int32_t>(kDilationWidth, 1),
  };
  KWS_RETURN_IF_ERROR(MakeWindow(input, output, options, &window));
  // The multiplier option is redundant, and some exporters leave it out.
  if (window.out_channels != filter.dims[3] || window.out_channels % window.in_channels != 0) {
    return Status::kUnsupportedShape;
  }
  params->input_offset = static_cast<int16_t>(-input.zero_point);
  context.BindInput(kInput, 0);
  context.BindInput(kFilter, 1);
  context.BindInput(kBias, 2);
  context.BindOutput(kOutput, 0);
  params->by_rows = window.dilation_height == 1 && window.dilation_width == 1;
  if (params->by_rows) {
    KWS_RETURN_IF_ERROR(context.BindScratch(kScratch, DepthwiseRowsScratch(window)));
    context.AllowOverlap(0, 0, DepthwiseRowsOverlap(window));
  } else {
    context.AllowOverlap(0, 0, RowOverlap(window));
  }
  return MakeOutputStage(context, kActivation, input, filter, output, &params->stage,
                         reinterpret_cast<int32_t*>(params + 1));
}

// Everything that the rows of one call share.
struct Work {
  const Params& params;
  const int8_t* input;
  const int8_t* filter;
  const int32_t* bias;
  int8_t* output;
  Outputs outputs;
};

// The part of a window that lies in the image, at one output pixel.
struct Patch {
  const int8_t* input;   // its first tap, channel 0
  const int8_t* filter;  // that tap's weights
  int height;
  int width;
};

int32_t SumOfTaps(const Window& window, const Patch& patch, int in_channel, int out_channel,
                  int32_t offset) {
  const int step_x = window.dilation_width * window.in_channels;
  const int step_y = window.dilation_height * window.in_width * window.in_channels;
  const int8_t* input_row = patch.input + in_channel;
  const int8_t* filter_row = patch.filter + out_channel;
  int32_t sum = 0;
  for (int y = 0; y < patch.height; ++y) {
    const int8_t* input = input_row;
    const int8_t* filter = filter_row;
    for (int x = 0; x < patch.width; ++x) {
      sum = WrappingAdd(sum, (*input + offset) * *filter);
      input += step_x;
      filter += window.out_channels;
    }
    input_row += step_y;
    filter_row += window.width * window.out_channels;
  }
  return sum;
}

void ConvolvePixel(const Work& work, const Patch& patch, int8_t* output) {
  const Params& params = work.params;
  const Window& window = params.window;
  const int multiplier = window.out_channels / window.in_channels;
  Outputs outputs = work.outputs;
  int channel = 0;
  for (int in_channel = 0; in_channel < window.in_channels; ++in_channel) {
    for (int m = 0; m < multiplier; ++m, ++channel) {
      const int32_t start = work.bias == nullptr ? 0 : LoadAs<int32_t>(work.bias + channel);
      const int32_t sum =
          WrappingAdd(start, SumOfTaps(window, patch, in_channel, channel, params.input_offset));
      outputs.Write<1>(&sum, output + channel, 0);
      outputs.Skip(1);
    }
  }
}

void ConvolveRow(const Work& work, const int8_t* image, int y, int8_t* output, bool backward) {
  const Window& window = work.params.window;
  const int origin_y = y * window.stride_height - window.pad_top;
  const TapRange rows =
      ValidTaps(origin_y, window.height, window.dilation_height, window.in_height);
  for (int i = 0; i < window.out_width; ++i) {
    const int x = backward ? window.out_width - 1 - i : i;
    const int origin_x = x * window.stride_width - window.pad_left;
    const TapRange columns =
        ValidTaps(origin_x, window.width, window.dilation_width, window.in_width);
    const int in_y = origin_y + rows.begin * window.dilation_height;
    const int in_x = origin_x + columns.begin * window.dilation_width;
    const Patch patch{
        image + (in_y * window.in_width + in_x) * window.in_channels,
        work.filter + (rows.begin * window.width + columns.begin) * window.out_channels,
        rows.end - rows.begin,
        columns.end - columns.begin,
    };
    ConvolvePixel(work, patch, output + x * window.out_channels);
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const Window& window = params.window;
  const Work work{
      params,
      context.Data<int8_t>(kInput),
      context.Data<int8_t>(kFilter),
      context.Data<int32_t>(kBias),
      context.MutableData<int8_t>(kOutput),
      Outputs(params.stage, context.Extra<int32_t, Params>(), window.out_channels),
  };
  if (params.by_rows) {
    RunDepthwiseRows(DepthwiseRows{window, params.input_offset, work.input, work.filter, work.bias,
                                   work.outputs, work.output,
                                   context.MutableData<int16_t>(kScratch)});
    return;
  }
  const int32_t image_bytes =
      static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
  const int32_t out_row = static_cast<int32_t>(window.out_width) * window.out_channels;
  const bool backward = work.output > work.input;
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int i = 0; i < window.out_height; ++i) {
      const int y = backward ? window.out_height - 1 - i : i;
      ConvolveRow(work, work.input + batch * image_bytes, y,
                  work.output + (batch * window.out_height + y) * out_row, backward);
    }
  }
}

constexpr Registration kRegistration{BuiltinOp::kDepthwiseConv2D, Prepare, Invoke};

}  // namespace

const Registration& kernels::DepthwiseConv2D() { return kRegistration; }

}  // namespace kws
