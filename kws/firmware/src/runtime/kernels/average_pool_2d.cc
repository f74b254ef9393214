// AVERAGE_POOL_2D, int8: NHWC; input and output have the same quantization.
#include "runtime/kernel_context.h"
#include "runtime/kernels/fixed_point.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/quantization.h"
#include "runtime/kernels/window.h"

namespace kws {
namespace {

enum Options {
  kPadding = 0,
  kStrideWidth = 1,
  kStrideHeight = 2,
  kFilterWidth = 3,
  kFilterHeight = 4,
  kActivation = 5,
};
enum References { kInput, kOutput, kReferences };

struct alignas(4) Params {
  Window window;
  int8_t min;
  int8_t max;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kPool2D));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (input.type != TensorType::kInt8 || output.type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  KWS_RETURN_IF_ERROR(CheckQuantized(input));
  KWS_RETURN_IF_ERROR(CheckQuantized(output));
  const float scale_difference = input.scale - output.scale;
  if (scale_difference > 1e-6f || scale_difference < -1e-6f ||
      input.zero_point != output.zero_point) {
    return Status::kBadQuantization;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  const WindowOptions options{
      static_cast<Padding>(context.Option<uint8_t>(kPadding, 0)),
      context.Option<int32_t>(kFilterHeight, 0),
      context.Option<int32_t>(kFilterWidth, 0),
      context.Option<int32_t>(kStrideHeight, 0),
      context.Option<int32_t>(kStrideWidth, 0),
      1,
      1,
  };
  KWS_RETURN_IF_ERROR(MakeWindow(input, output, options, &params->window));
  if (params->window.in_channels != params->window.out_channels) return Status::kUnsupportedShape;
  ActivationRange range;
  KWS_RETURN_IF_ERROR(GetActivationRange(
      static_cast<Activation>(context.Option<uint8_t>(kActivation, 0)), output, &range));
  params->min = static_cast<int8_t>(range.min);
  params->max = static_cast<int8_t>(range.max);
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  return Status::kOk;
}

// One output pixel: the mean over `taps` of the image's rows and columns, for all channels.
void PoolPixel(const Params& params, const int8_t* image, const TapRange& rows,
               const TapRange& columns, int origin_y, int origin_x, int8_t* output) {
  const Window& window = params.window;
  const int channels = window.in_channels;
  const int row_bytes = window.in_width * channels;
  const int8_t* first =
      image + (origin_y + rows.begin) * row_bytes + (origin_x + columns.begin) * channels;
  const int height = rows.end - rows.begin;
  const int width = columns.end - columns.begin;
  const int32_t count = height * width;
  const int32_t half = count / 2;
  for (int channel = 0; channel < channels; ++channel) {
    int32_t sum = 0;
    const int8_t* row = first + channel;
    for (int y = 0; y < height; ++y) {
      const int8_t* at = row;
      for (int x = 0; x < width; ++x) {
        sum += *at;
        at += channels;
      }
      row += row_bytes;
    }
    // Prepare saw that the output has the size its padding implies, so each window holds a tap.
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero,clang-analyzer-core.UndefinedBinaryOperatorResult)
    const int32_t mean = (sum > 0 ? sum + half : sum - half) / count;
    output[channel] = static_cast<int8_t>(Clamp(mean, params.min, params.max));
  }
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const Window& window = params.window;
  const int8_t* image = context.Data<int8_t>(kInput);
  int8_t* output = context.MutableData<int8_t>(kOutput);
  for (int batch = 0; batch < window.batches; ++batch) {
    for (int y = 0; y < window.out_height; ++y) {
      const int origin_y = y * window.stride_height - window.pad_top;
      const TapRange rows = ValidTaps(origin_y, window.height, 1, window.in_height);
      for (int x = 0; x < window.out_width; ++x) {
        const int origin_x = x * window.stride_width - window.pad_left;
        const TapRange columns = ValidTaps(origin_x, window.width, 1, window.in_width);
        PoolPixel(params, image, rows, columns, origin_y, origin_x, output);
        output += window.out_channels;
      }
    }
    image += static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
  }
}

constexpr Registration kRegistration{BuiltinOp::kAveragePool2D, Prepare, Invoke};

}  // namespace

const Registration& kernels::AveragePool2D() { return kRegistration; }

}  // namespace kws
