// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, int16: halves are rounded away from zero.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/int16_pool.h"

namespace kws {
namespace {

class Average {
 public:
  explicit Average(const ActivationRange& range) : range_(range) {}
  void Add(int16_t x) {
    sum_ = WrappingAdd(sum_, x);
    ++count_;
  }
  int16_t Result() const {
    const int32_t half = sum_ > 0 ? count_ / 2 : -(count_ / 2);
    // MakeWindow has checked the output's size, so each window holds a tap.
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    const int32_t mean = WrappingAdd(sum_, half) / count_;
    return static_cast<int16_t>(Clamp(mean, range_.min, range_.max));
  }

 private:
  ActivationRange range_;
  int32_t sum_ = 0;
  int32_t count_ = 0;
};

}  // namespace

KWS_REGISTER_TYPE(AveragePool2D, Int16, PrepareInt16Pool, InvokeInt16Pool<Average>)

}  // namespace kws
