// SPDX-License-Identifier: Apache-2.0
// HARD_SWISH, int8: x * min(6, max(0, x + 3)) / 6, in TFLM's 16-bit fixed-point arithmetic.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/lookup_table.h"
#include "kws/runtime/kernels/shared/quantization.h"

namespace kws {
namespace {

constexpr int kMoreBits = 7;  // the input's precision in 16 bits

// A factor as multiplier * 2^(shift - 15).
struct Factor16 {
  int16_t multiplier;
  int8_t shift;
};

struct alignas(4) Params {
  LookupTable map;
  int16_t input_zero_point;
  int16_t output_zero_point;
  Factor16 output;  // from the input's scale to the output's
  Factor16 gate;    // from the input's scale to 3 / 32768
};

Status MakeFactor(float real, Factor16* out) {
  QuantizedMultiplier factor;
  KWS_RETURN_IF_ERROR(MultiplierFromScales(real, 1.0f, 1.0f, 0, &factor));
  constexpr int32_t kHalf = 1 << 15;
  out->multiplier = static_cast<int16_t>(
      factor.multiplier >= INT32_MAX - kHalf ? INT16_MAX : (factor.multiplier + kHalf) >> 16);
  out->shift = static_cast<int8_t>(factor.shift);
  return Status::kOk;
}

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(ReadInt8Elementwise(context, &input, &output));
  Params* params;
  KWS_RETURN_IF_ERROR(AllocateLookupTable(context, input.elements, &params));
  const float scale = input.scale * (1.0f / (1 << kMoreBits));
  KWS_RETURN_IF_ERROR(MakeFactor(scale / output.scale, &params->output));
  KWS_RETURN_IF_ERROR(MakeFactor(scale / (3.0f / 32768.0f), &params->gate));
  // As in TFLM: the output's scale is too small relative to the input's.
  if (params->output.shift > 0) return Status::kBadQuantization;
  params->input_zero_point = static_cast<int16_t>(input.zero_point);
  params->output_zero_point = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

int16_t ShiftLeft16(int16_t x, int bits) {
  // With 15 bits or more everything but 0 saturates.
  const int32_t shifted = x * (1 << (bits < 15 ? bits : 15));
  return static_cast<int16_t>(Clamp(shifted, INT16_MIN, INT16_MAX));
}

int16_t RoundingHighMul16(int16_t a, int16_t b) {
  return static_cast<int16_t>((a * b + (1 << 14)) >> 15);
}

// Halves away from zero. The mask has 16 bits: as in TFLM, an exponent above 15 yields 1 for x >=
// 0, else -1.
int16_t RoundingShiftRight16(int16_t x, int exponent) {
  const int16_t mask = static_cast<int16_t>((int64_t{1} << exponent) - 1);
  const int rest = x & mask;
  const int threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<int16_t>((x >> exponent) + (rest > threshold ? 1 : 0));
}

// min(6, max(0, x + 3)) / 6 as Q0.15, of an input with 7 more bits.
int16_t Gate(int16_t x, const Factor16& factor) {
  const bool left = factor.shift > 0;
  // All but one bit of a left shift is applied before the multiplication.
  if (left) x = ShiftLeft16(x, factor.shift - 1);
  x = RoundingHighMul16(x, factor.multiplier);
  x = left ? ShiftLeft16(x, 1) : RoundingShiftRight16(x, -factor.shift);
  return static_cast<int16_t>((x + (1 << 15)) >> 1);
}

void Compute(const InvokeContext& context, const int8_t* input, int8_t* output, int32_t count) {
  const Params& params = context.Params<Params>();
  for (int32_t i = 0; i < count; ++i) {
    const int16_t x = static_cast<int16_t>((input[i] - params.input_zero_point) * (1 << kMoreBits));
    // Rounding towards zero cancels the bias of the other multiplications.
    const int32_t product =
        Gate(x, params.gate) * RoundingHighMul16(x, params.output.multiplier) / (1 << 15);
    const int16_t shifted =
        RoundingShiftRight16(static_cast<int16_t>(product), -params.output.shift);
    const int16_t result = static_cast<int16_t>(shifted + params.output_zero_point);
    output[i] = static_cast<int8_t>(Clamp(result, INT8_MIN, INT8_MAX));
  }
}

void Invoke(const InvokeContext& context) {
  InvokeLookupTable(context, context.Params<Params>().map, Compute);
}

}  // namespace

KWS_REGISTER(HardSwish, Prepare, Invoke)

}  // namespace kws
