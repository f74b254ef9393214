// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int16 with int8 weights. Zero points are 0.
// Sums and biases have 64 bits, or 32 if the bias has.
#ifndef KWS_RUNTIME_KERNELS_SHARED_INT16_FILTER_H_
#define KWS_RUNTIME_KERNELS_SHARED_INT16_FILTER_H_

#include "kws/runtime/kernels/shared/fixed_point.h"
#include "kws/runtime/kernels/shared/plain_filter.h"

namespace kws {

// From 64-bit sums to int16; followed in the record by int32 multipliers, then int8 shifts.
struct WideStage {
  int32_t factors;  // 1 for all channels, or one per channel
  int16_t min;      // the fused activation's range
  int16_t max;
  bool narrow;  // sums have 32 bits
};

struct alignas(4) Int16FilterParams {
  PlainConv conv;
  WideStage stage;
};

// round(x * factor) with TFLM's 16-bit multipliers, |x| < 2^47; shift: -31 to 7.
inline int32_t MultiplyWide(int64_t x, int32_t multiplier, int shift) {
  const int32_t reduced = multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
  const int total = 15 - shift;
  const uint64_t product = static_cast<uint64_t>(x) * static_cast<uint64_t>(reduced);
  return static_cast<int32_t>(static_cast<int64_t>(product + (uint64_t{1} << (total - 1))) >>
                              total);
}

// An output; `bias` may be null.
class WideFinish {
 public:
  WideFinish(const WideStage& stage, const int32_t* factors, const void* bias)
      : stage_(stage),
        multipliers_(factors),
        shifts_(reinterpret_cast<const int8_t*>(factors + stage.factors)),
        bias_(static_cast<const uint8_t*>(bias)) {}

  int16_t operator()(int32_t channel, int64_t sum) const {
    const int32_t i = stage_.factors == 1 ? 0 : channel;
    int32_t scaled;
    if (stage_.narrow) {
      int32_t low = static_cast<int32_t>(sum);
      if (bias_ != nullptr) low = WrappingAdd(low, LoadAs<int32_t>(bias_ + 4 * channel));
      scaled = MultiplyByQuantizedMultiplier(low, multipliers_[i], shifts_[i]);
    } else {
      uint64_t wide = static_cast<uint64_t>(sum);
      if (bias_ != nullptr) wide += LoadAs<uint64_t>(bias_ + 8 * channel);
      scaled = MultiplyWide(static_cast<int64_t>(wide), multipliers_[i], shifts_[i]);
    }
    return static_cast<int16_t>(Clamp(scaled, stage_.min, stage_.max));
  }

 private:
  WideStage stage_;
  const int32_t* multipliers_;
  const int8_t* shifts_;
  const uint8_t* bias_;
};

// Checks quantization and bias. `dimension`: the filter's, of output channels. `activation` and
// `bias_type`: option slots; the second is that of the sums' type without a bias, or -1.
Status MakeWideStage(const PrepareContext& context, const PlainFilter& op, int dimension,
                     int activation, int bias_type, WideStage* stage);
// Fills the factors, of FactorBytes(stage.factors).
Status MakeWideFactors(const PrepareContext& context, const PlainFilter& op, int32_t* factors);

// Allocates the record; `references` of them.
Status AllocateInt16Filter(PrepareContext& context, const PlainFilter& op, int references,
                           const WideStage& stage);
void InvokeInt16Conv(const InvokeContext& context);

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_INT16_FILTER_H_
