// SPDX-License-Identifier: Apache-2.0
// LOG_SOFTMAX, float32: along the last dimension.
#include <cstring>

#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_softmax.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  return PrepareFloatSoftmax(context, OptionsType::kLogSoftmax, 2 + kFloat32Mark, 1.0f);
}

// ln(x) of a number of at least 1, as exact as Exp. With x = 2^e m and s = (m - 1) / (m + 1), it is
// e ln(2) + 2 (s + s^3/3 + s^5/5 + ...).
float Log(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int32_t exponent = static_cast<int32_t>(bits >> 23) - 127;
  if (exponent > 127) return x;  // infinite, or no number
  double m = 1.0 + static_cast<double>(bits & 0x7fffff) / (1 << 23);
  if (m > 1.4142) {
    m /= 2;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double series = 0.0;
  for (int n = 15; n > 0; n -= 2) series = series * s2 + 1.0 / n;
  return static_cast<float>(exponent * 0.6931471805599453 + 2.0 * s * series);
}

void WriteRow(const FloatSoftmaxParams& params, const float* input, float largest, float* output) {
  float sum = 0.0f;
  for (int32_t i = 0; i < params.depth; ++i) sum += Exp(LoadAs<float>(input + i) - largest);
  const float log = Log(sum);
  for (int32_t i = 0; i < params.depth; ++i) output[i] = LoadAs<float>(input + i) - largest - log;
}

void Invoke(const InvokeContext& context) { InvokeFloatSoftmax(context, WriteRow); }

}  // namespace

KWS_REGISTER_TYPE(LogSoftmax, Float32, Prepare, Invoke)

}  // namespace kws
