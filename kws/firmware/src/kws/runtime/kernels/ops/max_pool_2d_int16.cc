// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D, int16.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/int16_pool.h"

namespace kws {
namespace {

class Largest {
 public:
  explicit Largest(const ActivationRange& range) : range_(range) {}
  void Add(int16_t x) { largest_ = largest_ < x ? x : largest_; }
  int16_t Result() const { return static_cast<int16_t>(Clamp(largest_, range_.min, range_.max)); }

 private:
  ActivationRange range_;
  int16_t largest_ = INT16_MIN;
};

}  // namespace

KWS_REGISTER_TYPE(MaxPool2D, Int16, PrepareInt16Pool, InvokeInt16Pool<Largest>)

}  // namespace kws
