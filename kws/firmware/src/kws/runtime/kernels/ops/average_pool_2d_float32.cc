// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_pool.h"

namespace kws {
namespace {

class Average {
 public:
  explicit Average(const FloatRange& range) : range_(range) {}
  void Add(float x) {
    sum_ += x;
    ++count_;
  }
  float Result() const { return range_.Clip(sum_ / static_cast<float>(count_)); }

 private:
  FloatRange range_;
  float sum_ = 0.0f;
  int32_t count_ = 0;
};

}  // namespace

KWS_REGISTER_TYPE(AveragePool2D, Float32, PrepareFloatPool, InvokeFloatPool<Average>)

}  // namespace kws
