// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D, int8: NHWC input, filter [1][height][width][out channels]; output channel
// c * multiplier + m depends on input channel c.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/avx2.h"
#include "kws/runtime/kernels/loops/depthwise.h"
#include "kws/runtime/kernels/loops/processor.h"
#include "kws/runtime/kernels/shared/depthwise_rows.h"
#include "kws/runtime/kernels/shared/image_sides.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/weighted_op.h"
#include "kws/runtime/kernels/shared/window.h"

namespace kws {
namespace {

constexpr int kActivation = 4;  // its option; the multiplier is before it

// Followed by the output stage's factors.
struct alignas(4) Params {
  Window window;
  int16_t input_offset;
  OutputStage stage;
};

// Shapes with a dedicated kernel on the Cortex-M4.
enum Kinds {
  kThreeByThree = 1,            // stride 1 along the row
  kThreeByThreeEveryOther = 2,  // stride 2
  kEightTaps = 4,
  kFourChannels = 8,
  kOneOutput = 16,
  kDilated = 32,
  kRows = 64,      // all other windows
  kClipped = 128,  // by an activation
  kThreeTaps = 256,
  kAny = 511,
};

template <int kKinds>
bool Takes(const Sides& sides) {
  if (kKinds == kEightTaps) return IsEightTaps(sides);
  if (IsThreeByThree(sides)) {
    return (kKinds & (sides.columns.stride == 1 ? kThreeByThree : kThreeByThreeEveryOther)) != 0;
  }
  if (IsThreeTaps(sides)) return (kKinds & kThreeTaps) != 0;
  if (IsEightTaps(sides)) return (kKinds & kEightTaps) != 0;
  if (IsOneOutput(sides)) return (kKinds & kOneOutput) != 0;
  if ((kKinds & kDilated) != 0) {
    if (IsDilated(sides)) return true;
  } else if (MayBeDilated(sides)) {
    return false;
  }
  return (kKinds & (IsFourChannels(sides) ? kFourChannels : kRows)) != 0;
}

template <int kKinds>
Status Prepare(PrepareContext& context) {
  WeightedOp op;
  KWS_RETURN_IF_ERROR(op.Read(context, OptionsType::kDepthwiseConv2D, 4, 3));
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(WeightedOp::kReferences, &params, FactorBytes(op.factors)));
  Window& window = params->window;
  KWS_RETURN_IF_ERROR(op.GetWindow(context, kActivation, &window));
  // The multiplier option is redundant, and some exporters leave it out.
  if (op.filter.dims[0] != 1 || window.out_channels != op.filter.dims[3] ||
      window.out_channels % window.in_channels != 0) {
    return Status::kUnsupportedShape;
  }
  params->input_offset = op.input_offset();
  const Sides sides(window);
  // Without fast requantization the kernel is RunDepthwiseRows, so scratch is the maximum of both.
  uint32_t scratch = DepthwiseRowsScratch(sides);
  if ((kKinds & (kThreeByThree | kThreeByThreeEveryOther | kThreeTaps)) != 0) {
    if (IsThreeByThree(sides) || IsThreeTaps(sides)) {
      const uint32_t other = ThreeByThreeScratch(sides);
      if (other > scratch) scratch = other;
    }
  }
  if ((kKinds & kDilated) != 0) {
    if (IsDilated(sides)) {
      const Sides largest = WithoutDilation(sides);
      uint32_t other = DepthwiseRowsScratch(largest);
      if (other > scratch) scratch = other;
      const bool three = IsThreeByThree(largest) || IsThreeTaps(largest);
      other = three ? ThreeByThreeScratch(largest) : 0;
      if (other > scratch) scratch = other;
    }
  }
  KWS_RETURN_IF_ERROR(context.BindScratch(WeightedOp::kScratch, scratch));
  // Independent of the linked kernels, so that the size of a model's arena is too.
  if ((kKinds & (kFourChannels | kRows)) == 0 || !IsFourChannels(sides)) {
    context.AllowOverlap(0, 0, DepthwiseRowsOverlap(window));
  }
  KWS_RETURN_IF_ERROR(
      op.Bind(context, kActivation, &params->stage, reinterpret_cast<int32_t*>(params + 1)));
  const OutputStage& stage = params->stage;
  // Without fast requantization, RunDepthwiseRows clips by itself.
  if (!stage.fast_requantize)
    return (kKinds & kRows) != 0 ? Status::kOk : Status::kUnsupportedShape;
  if (stage.clips() && (kKinds & kClipped) == 0) return Status::kUnsupportedShape;
  return Takes<kKinds>(sides) ? Status::kOk : Status::kUnsupportedShape;
}

// Links only the kernels of `kKinds`; Prepare refuses other shapes.
template <int kKinds>
void RunImage(const DepthwiseRows& work, const Sides& sides) {
  if (!kHaveDsp) {
    if (!avx2::in_use || !avx2::RunDepthwise(work)) RunDepthwiseRows(work, sides);
    return;
  }
  const bool fast = (kKinds & kRows) == 0 || work.outputs.fast_requantize();
  constexpr int kBothThreeByThree = kThreeByThree | kThreeByThreeEveryOther;
  if ((kKinds & kBothThreeByThree) != 0 && fast &&
      ((kKinds & ~kBothThreeByThree) == 0 || IsThreeByThree(sides))) {
    if ((kKinds & kThreeByThreeEveryOther) != 0 && sides.columns.stride == 2) {
      return RunThreeByThree(work, sides, RunThreeByThreeEveryOther);
    }
    return RunThreeByThree(work, sides, RunThreeByThreeRows);
  }
  if ((kKinds & kThreeTaps) != 0 && fast && (kKinds == kThreeTaps || IsThreeTaps(sides))) {
    return RunThreeTaps(work, sides);
  }
  if ((kKinds & kEightTaps) != 0 && fast && (kKinds == kEightTaps || IsEightTaps(sides))) {
    return RunEightTapsRows(work, sides);
  }
  if ((kKinds & kOneOutput) != 0 && fast && (kKinds == kOneOutput || IsOneOutput(sides))) {
    return RunOneOutput(work, sides);
  }
  if ((kKinds & kDilated) != 0 && fast && IsDilated(sides)) return RunDilated(work, sides);
  if ((kKinds & kFourChannels) != 0 && fast && ((kKinds & kRows) == 0 || IsFourChannels(sides))) {
    return RunFourChannels(work, sides);
  }
  if ((kKinds & kRows) != 0) RunDepthwiseRows(work, sides);
}

template <int kKinds>
void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const Window& window = params.window;
  const Outputs outputs(params.stage, context.Extra<int32_t, Params>(), window.out_channels);
  DepthwiseRows work{
      window,
      params.input_offset,
      context.Data<int8_t>(WeightedOp::kInput),
      context.Data<int8_t>(WeightedOp::kFilter),
      context.Data<int32_t>(WeightedOp::kBias),
      outputs,
      context.MutableData<int8_t>(WeightedOp::kOutput),
      context.MutableData<int16_t>(WeightedOp::kScratch),
  };
  const Sides sides(window);
  const int32_t image =
      static_cast<int32_t>(window.out_height) * window.out_width * window.out_channels;
  for (int batch = 0; batch < window.batches; ++batch) {
    RunImage<kKinds>(work, sides);
    if ((kKinds & kClipped) != 0) outputs.Clip(work.output, image);
    work.input += static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
    work.output += image;
  }
}

}  // namespace

// The kernel of these kinds.
#define KWS_DEPTHWISE(Name, kinds)                                                     \
  constexpr Registration kernels::k##Name{BuiltinOp::kDepthwiseConv2D, Prepare<kinds>, \
                                          Invoke<kinds>};                              \
  void kernels::invoke::Name(const InvokeContext& context) { Invoke<kinds>(context); }
KWS_DEPTHWISE(DepthwiseConv2D, kAny)
KWS_DEPTHWISE(DepthwiseConv2DNotEightTaps, kAny & ~kEightTaps)
KWS_DEPTHWISE(DepthwiseConv2DThreeByThreeOrRows, kThreeByThree | kRows)
KWS_DEPTHWISE(DepthwiseConv2DRows, kRows)
KWS_DEPTHWISE(DepthwiseConv2DThreeTaps, kThreeByThree | kThreeByThreeEveryOther | kThreeTaps)
KWS_DEPTHWISE(DepthwiseConv2DThreeByThreeOrFour,
              kThreeByThree | kThreeByThreeEveryOther | kFourChannels)
KWS_DEPTHWISE(DepthwiseConv2DFourChannels, kFourChannels)
KWS_DEPTHWISE(DepthwiseConv2DThreeByThree, kThreeByThree)
KWS_DEPTHWISE(DepthwiseConv2DOneOutput, kOneOutput)
KWS_DEPTHWISE(DepthwiseConv2DEightTaps, kEightTaps)
#undef KWS_DEPTHWISE

}  // namespace kws
