// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D, int8: NHWC input, filter [1][height][width][out channels]; output channel
// c * multiplier + m is input channel c with its own window.
#include "runtime/kernel_context.h"
#include "runtime/kernels/arm/eight_taps.h"
#include "runtime/kernels/arm/three_by_three.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/shared/depthwise_rows.h"
#include "runtime/kernels/shared/image_sides.h"
#include "runtime/kernels/shared/output_stage.h"
#include "runtime/kernels/shared/quantization.h"
#include "runtime/kernels/shared/weighted_op.h"
#include "runtime/kernels/shared/window.h"

namespace kws {
namespace {

constexpr int kActivation = 4;  // its option; the multiplier is before it

// Followed by the output stage's factors.
struct alignas(4) Params {
  Window window;
  int16_t input_offset;
  OutputStage stage;
};

// Windows that have code of their own on the Cortex-M4; all others share theirs.
enum Windows { kThreeByThree = 1, kEightTaps = 2, kOther = 4, kNotEightTaps = 5, kAny = 7 };

Windows KindOf(const Sides& sides, const OutputStage& stage) {
  if (!stage.usual) return kOther;
  if (IsThreeByThree(sides)) return kThreeByThree;
  return IsEightTaps(sides) ? kEightTaps : kOther;
}

// Bytes of scratch of windows of 3x3; null where these are not linked.
using ScratchOf = uint32_t (*)(const Sides& sides);

Status Prepare(PrepareContext& context, int kinds, ScratchOf three_by_three) {
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
  // An activation that clips takes the other way, so that there is room for both.
  uint32_t scratch = DepthwiseRowsScratch(sides);
  if (three_by_three != nullptr && IsThreeByThree(sides)) {
    const uint32_t other = three_by_three(sides);
    if (other > scratch) scratch = other;
  }
  KWS_RETURN_IF_ERROR(context.BindScratch(WeightedOp::kScratch, scratch));
  context.AllowOverlap(0, 0, DepthwiseRowsOverlap(window));
  KWS_RETURN_IF_ERROR(
      op.Bind(context, kActivation, &params->stage, reinterpret_cast<int32_t*>(params + 1)));
  return (KindOf(sides, params->stage) & kinds) != 0 ? Status::kOk : Status::kUnsupportedShape;
}

template <int kKinds>
Status Prepare(PrepareContext& context) {
  return Prepare(context, kKinds, (kKinds & kThreeByThree) != 0 ? ThreeByThreeScratch : nullptr);
}

// The code of other kinds than `kKinds` is not linked.
template <int kKinds>
void RunImage(const DepthwiseRows& work, const Sides& sides, Windows kind) {
#if KWS_HAVE_DSP
  if constexpr ((kKinds & kThreeByThree) != 0) {
    if (kKinds == kThreeByThree || kind == kThreeByThree) return RunThreeByThree(work, sides);
  }
  if constexpr ((kKinds & kEightTaps) != 0) {
    if (kKinds == kEightTaps || kind == kEightTaps) return RunEightTapsRows(work, sides);
  }
  if constexpr ((kKinds & kOther) != 0) RunDepthwiseRows(work, sides);
#else
  static_cast<void>(kind);
  RunDepthwiseRows(work, sides);
#endif
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
  const Windows kind = KindOf(sides, params.stage);
  for (int batch = 0; batch < window.batches; ++batch) {
    RunImage<kKinds>(work, sides, kind);
    work.input += static_cast<int32_t>(window.in_height) * window.in_width * window.in_channels;
    work.output += static_cast<int32_t>(window.out_height) * window.out_width * window.out_channels;
  }
}

template <int kKinds>
constexpr Registration kRegistration{BuiltinOp::kDepthwiseConv2D, Prepare<kKinds>, Invoke<kKinds>};

}  // namespace

const Registration& kernels::DepthwiseConv2D() { return kRegistration<kAny>; }
const Registration& kernels::DepthwiseConv2DNotEightTaps() { return kRegistration<kNotEightTaps>; }
const Registration& kernels::DepthwiseConv2DThreeByThree() { return kRegistration<kThreeByThree>; }
const Registration& kernels::DepthwiseConv2DEightTaps() { return kRegistration<kEightTaps>; }

void kernels::invoke::DepthwiseConv2D(const InvokeContext& context) { Invoke<kAny>(context); }
void kernels::invoke::DepthwiseConv2DNotEightTaps(const InvokeContext& context) {
  Invoke<kNotEightTaps>(context);
}
void kernels::invoke::DepthwiseConv2DThreeByThree(const InvokeContext& context) {
  Invoke<kThreeByThree>(context);
}
void kernels::invoke::DepthwiseConv2DEightTaps(const InvokeContext& context) {
  Invoke<kEightTaps>(context);
}

}  // namespace kws
