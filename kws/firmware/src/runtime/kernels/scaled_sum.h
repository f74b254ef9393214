// ADD and SUB, int8, with broadcasting and a fused activation. Both inputs are brought to twice the
// larger scale with 20 more bits, added, and brought to the output's scale; each step rounds.
#ifndef KWS_RUNTIME_KERNELS_SCALED_SUM_H_
#define KWS_RUNTIME_KERNELS_SCALED_SUM_H_

#include <cstdint>

#include "runtime/kernel_context.h"
#include "runtime/kernels/broadcast.h"
#include "runtime/kernels/quantization.h"
#include "runtime/kernels/rescale.h"

namespace kws {

constexpr int kSumBits = 20;

// An input's way to the common scale: a factor of at most 1/2.
struct SumInput {
  int32_t multiplier;
  int16_t zero_point;
  uint8_t left;
  uint8_t right;
};

struct alignas(4) SumParams {
  Broadcast broadcast;
  SumInput inputs[2];
  RescaleParams output;
};

// A value, for registers.
class SumTerm {
 public:
  explicit SumTerm(const SumInput& input)
      : multiplier_(input.multiplier),
        zero_(input.zero_point * (1 << input.left)),
        half_(static_cast<int32_t>(1u << (input.right - 1))),
        left_(input.left),
        right_(input.right) {}

  int32_t operator()(int32_t x) const {
    const int32_t scaled = RoundingHighWord(x * (1 << left_) - zero_, multiplier_);
    return (scaled + (scaled >> 31) + half_) >> right_;
  }

 private:
  int32_t multiplier_;
  int32_t zero_;
  int32_t half_;
  int left_;
  int right_;
};

// The factor a / b * 2^exponent, which TFLM wants below 1.
inline Status SumFactor(float a, float b, int exponent, QuantizedMultiplier* out) {
  KWS_RETURN_IF_ERROR(MultiplierFromScales(a, 1.0f, b, exponent, out));
  return out->shift <= 0 ? Status::kOk : Status::kBadQuantization;
}

template <bool kSubtract>
Status PrepareSum(PrepareContext& context) {
  enum Options { kActivation = 0 };
  BinaryOp op;
  KWS_RETURN_IF_ERROR(context.CheckOptions(kSubtract ? OptionsType::kSub : OptionsType::kAdd));
  KWS_RETURN_IF_ERROR(op.Read(context));
  const Tensor* inputs[2] = {&op.a, &op.b};
  for (const Tensor* input : inputs) KWS_RETURN_IF_ERROR(CheckQuantized(*input));
  KWS_RETURN_IF_ERROR(CheckQuantized(op.output));
  SumParams* params;
  KWS_RETURN_IF_ERROR(op.Allocate(context, &params));

  const float largest = op.a.scale > op.b.scale ? op.a.scale : op.b.scale;
  QuantizedMultiplier factor;
  for (int i = 0; i < 2; ++i) {
    KWS_RETURN_IF_ERROR(SumFactor(inputs[i]->scale, largest, -1, &factor));
    SumInput& to = params->inputs[i];
    to.multiplier = factor.multiplier;
    to.zero_point = static_cast<int16_t>(inputs[i]->zero_point);
    // A factor of 1/2 (the only one without a shift) is taken as 1, halved without a rest.
    const bool half = factor.shift == 0;
    to.left = half ? kSumBits + 2 : kSumBits + 1;
    to.right = static_cast<uint8_t>(half ? 1 : -factor.shift);
  }
  KWS_RETURN_IF_ERROR(SumFactor(largest, op.output.scale, 1 - kSumBits, &factor));
  return MakeRescale(context, kActivation, factor, op.output, &params->output);
}

template <bool kSubtract>
void RunSum(const InvokeContext& context, const int8_t* a, const int8_t* b, int8_t* output) {
  const SumParams& params = context.Params<SumParams>();
  const SumTerm term_a(params.inputs[0]);
  const SumTerm term_b(params.inputs[1]);
  const Rescale rescale(params.output);
  const Broadcast walk = params.broadcast;
  for (int32_t i = 0; i < walk.run; ++i) {
    const int32_t x = term_a(*a);
    const int32_t y = term_b(*b);
    *output++ = rescale(kSubtract ? x - y : x + y);
    a += walk.steps[0];
    b += walk.steps[1];
  }
}

template <bool kSubtract>
void InvokeSum(const InvokeContext& context) {
  InvokeBinary(context, context.Params<SumParams>().broadcast,
               context.Extra<BroadcastLoop, SumParams>(), RunSum<kSubtract>);
}

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SCALED_SUM_H_
