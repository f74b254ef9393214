// SPDX-License-Identifier: Apache-2.0
// LOG_SOFTMAX, float32: along the last dimension.
#include <cstring>

#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/any_type.h"
#include "kws/runtime/kernels/shared/float_math.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences = 2 + kFloat32Mark };

struct alignas(4) Params {
  int32_t rows;
  int32_t depth;
};

Status Prepare(PrepareContext& context) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(OptionsType::kLogSoftmax));
  KWS_RETURN_IF_ERROR(ReadFloat32(context, &input, &output));
  if (input.rank < 1 || input.elements != output.elements ||
      input.last_dim() != output.last_dim()) {
    return Status::kUnsupportedShape;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  context.AllowOverlap(0, 0, PlanEntry::kInOrder);
  params->rows = static_cast<int32_t>(input.outer_elements());
  params->depth = input.last_dim();
  return Status::kOk;
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

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int32_t depth = params.depth;
  const float* input = context.Data<float>(kInput);
  float* output = context.MutableData<float>(kOutput);
  for (int32_t row = 0; row < params.rows; ++row) {
    float largest = LoadAs<float>(input);
    for (int32_t i = 1; i < depth; ++i) {
      const float x = LoadAs<float>(input + i);
      if (largest < x) largest = x;
    }
    float sum = 0.0f;
    for (int32_t i = 0; i < depth; ++i) sum += Exp(LoadAs<float>(input + i) - largest);
    const float log = Log(sum);
    for (int32_t i = 0; i < depth; ++i) output[i] = LoadAs<float>(input + i) - largest - log;
    input += depth;
    output += depth;
  }
}

}  // namespace

KWS_REGISTER_TYPE(LogSoftmax, Float32, Prepare, Invoke)

}  // namespace kws
