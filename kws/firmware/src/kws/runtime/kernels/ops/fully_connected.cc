// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED, int8: output[b][o] = sum of input[b][i] * filter[o][i], plus bias.
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/shared/output_stage.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/weighted_op.h"

namespace kws {
namespace {

enum Options { kActivation = 0, kWeightsFormat = 1 };
// References: those of WeightedOp, without scratch.
constexpr int kReferences = WeightedOp::kScratch;

// Followed by the output stage's factors.
struct alignas(4) Params {
  int32_t batches;
  int32_t depth;
  int32_t units;
  OutputStage stage;
  int16_t input_offset;
};

Status Prepare(PrepareContext& context) {
  WeightedOp op;
  KWS_RETURN_IF_ERROR(op.Read(context, OptionsType::kFullyConnected, 2, 0));
  if (context.Option<uint8_t>(kWeightsFormat, 0) != 0) return Status::kUnsupportedOption;
  const int32_t units = op.filter.dims[0];
  const int32_t depth = op.filter.dims[1];
  const uint32_t batches = op.output.elements / static_cast<uint32_t>(units);
  if (op.output.rank < 1 || op.output.last_dim() != units ||
      op.input.elements % static_cast<uint32_t>(depth) != 0 ||
      op.input.elements / static_cast<uint32_t>(depth) != batches) {
    return Status::kUnsupportedShape;
  }
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params, FactorBytes(op.factors)));
  params->batches = static_cast<int32_t>(batches);
  params->depth = depth;
  params->units = units;
  params->input_offset = op.input_offset();
  return op.Bind(context, kActivation, &params->stage, reinterpret_cast<int32_t*>(params + 1));
}

void Invoke(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const int8_t* input = context.Data<int8_t>(WeightedOp::kInput);
  const int32_t* bias = context.Data<int32_t>(WeightedOp::kBias);
  int8_t* output = context.MutableData<int8_t>(WeightedOp::kOutput);
  const Outputs outputs(params.stage, context.Extra<int32_t, Params>(), params.units);
  const int32_t depth = params.depth;
  for (int32_t batch = 0; batch < params.batches; ++batch) {
    const int8_t* filter = context.Data<int8_t>(WeightedOp::kFilter);
    for (int32_t unit = 0; unit < params.units;) {
      int32_t sums[kDotRows];
      int rows = kDotRows;
      if (unit + kDotRows <= params.units) {
        DotRows(input, filter, depth, params.input_offset, sums);
      } else {
        rows = 1;
        sums[0] = Dot(input, filter, depth, params.input_offset);
      }
      filter += rows * depth;
      for (int i = 0; i < rows; ++i, ++unit) {
        if (bias != nullptr) sums[i] = WrappingAdd(sums[i], LoadAs<int32_t>(bias + unit));
        *output++ = outputs.At(unit, sums[i]);
      }
    }
    input += depth;
  }
}

}  // namespace

KWS_REGISTER(FullyConnected, Prepare, Invoke)

}  // namespace kws
