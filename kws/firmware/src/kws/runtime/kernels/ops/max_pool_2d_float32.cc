// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D, float32.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/float_pool.h"

namespace kws {
namespace {

class Largest {
 public:
  explicit Largest(const FloatRange& range) : range_(range) {}
  void Add(float x) { largest_ = largest_ < x ? x : largest_; }
  float Result() const { return range_.Clip(largest_); }

 private:
  FloatRange range_;
  float largest_ = -3.402823466e+38f;
};

}  // namespace

KWS_REGISTER_TYPE(MaxPool2D, Float32, PrepareFloatPool, InvokeFloatPool<Largest>)

}  // namespace kws
