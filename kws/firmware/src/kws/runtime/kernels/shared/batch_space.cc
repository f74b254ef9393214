// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/batch_space.h"

#include <cstring>

#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/shared/quantization.h"
#include "kws/runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

enum References { kInput, kOutput, kReferences };

// Rows or columns.
struct BlockSide {
  int32_t space;  // size in the space tensor
  int32_t batch;  // size in the batch tensor
  int32_t block;
  int32_t before;  // padding or crop
};

struct alignas(4) Params {
  int32_t batches;  // of the space tensor
  BlockSide rows;
  BlockSide columns;
  int32_t pixel_bytes;
  uint8_t fill;  // a byte of padding
};

// Calls move(space pixel, or -1 for padding) for each pixel of the batch tensor, in order.
template <typename Move>
void ForEachPixel(const Params& params, const Move& move) {
  for (int32_t top = 0; top < params.rows.block; ++top) {
    for (int32_t left = 0; left < params.columns.block; ++left) {
      for (int32_t batch = 0; batch < params.batches; ++batch) {
        for (int32_t y = 0; y < params.rows.batch; ++y) {
          const int32_t row = y * params.rows.block + top - params.rows.before;
          for (int32_t x = 0; x < params.columns.batch; ++x) {
            const int32_t column = x * params.columns.block + left - params.columns.before;
            const bool inside =
                row >= 0 && row < params.rows.space && column >= 0 && column < params.columns.space;
            move(inside ? (batch * params.rows.space + row) * params.columns.space + column : -1);
          }
        }
      }
    }
  }
}

// The space's size plus paddings or crops is the batch tensor's times the block.
Status MakeBlockSide(int32_t space, int32_t batch, int32_t block, int32_t before, int32_t behind,
                     BlockSide* side) {
  if (block < 1 || before < 0 || behind < 0) return Status::kBadModel;
  if (int64_t{space} + before + behind != int64_t{batch} * block) return Status::kUnsupportedShape;
  *side = BlockSide{space, batch, block, before};
  return Status::kOk;
}

}  // namespace

Status PrepareBatchSpace(PrepareContext& context, OptionsType options, bool to_batch) {
  Tensor input;
  Tensor output;
  KWS_RETURN_IF_ERROR(context.CheckOptions(options));
  KWS_RETURN_IF_ERROR(context.Input(0, &input));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  const bool is_int8 = input.type == TensorType::kInt8;
  if (input.type != output.type || (!is_int8 && input.type != TensorType::kFloat32)) {
    return Status::kUnsupportedType;
  }
  if (is_int8) KWS_RETURN_IF_ERROR(CheckQuantized(output));
  const int rank = input.rank;
  if (output.rank != rank || (rank != 3 && rank != 4)) return Status::kUnsupportedShape;
  const uint32_t sides = static_cast<uint32_t>(rank) - 2;
  uint32_t blocks;
  uint32_t margins;
  KWS_RETURN_IF_ERROR(ConstantInts(context, 1, sides, &blocks));
  KWS_RETURN_IF_ERROR(ConstantInts(context, 2, 2 * sides, &margins));
  const Tensor& space = to_batch ? input : output;
  const Tensor& batch = to_batch ? output : input;
  Params* params;
  KWS_RETURN_IF_ERROR(context.Allocate(kReferences, &params));
  context.BindInput(kInput, 0);
  context.BindOutput(kOutput, 0);
  params->columns = BlockSide{1, 1, 1, 0};
  for (uint32_t i = 0; i < sides; ++i) {
    const auto at = [&](uint32_t position) { return context.model().At<int32_t>(position); };
    KWS_RETURN_IF_ERROR(MakeBlockSide(space.dims[i + 1], batch.dims[i + 1], at(blocks + 4 * i),
                                      at(margins + 8 * i), at(margins + 8 * i + 4),
                                      i == 0 ? &params->rows : &params->columns));
  }
  params->batches = space.dims[0];
  params->pixel_bytes = space.dims[rank - 1] * static_cast<int32_t>(ElementSize(input.type));
  params->fill = is_int8 ? static_cast<uint8_t>(output.zero_point) : uint8_t{0};
  const int64_t in_batch = int64_t{params->batches} * params->rows.block * params->columns.block;
  return in_batch == batch.dims[0] && space.dims[rank - 1] == batch.dims[rank - 1]
             ? Status::kOk
             : Status::kUnsupportedShape;
}

void InvokeSpaceToBatch(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const uint8_t* input = context.Data<uint8_t>(kInput);
  uint8_t* output = context.MutableData<uint8_t>(kOutput);
  const int32_t bytes = params.pixel_bytes;
  ForEachPixel(params, [&](int32_t pixel) {
    if (pixel < 0) {
      std::memset(output, params.fill, static_cast<uint32_t>(bytes));
    } else {
      CopyForward(output, input + pixel * bytes, bytes);
    }
    output += bytes;
  });
}

void InvokeBatchToSpace(const InvokeContext& context) {
  const Params& params = context.Params<Params>();
  const uint8_t* input = context.Data<uint8_t>(kInput);
  uint8_t* output = context.MutableData<uint8_t>(kOutput);
  const int32_t bytes = params.pixel_bytes;
  ForEachPixel(params, [&](int32_t pixel) {
    if (pixel >= 0) CopyForward(output + pixel * bytes, input, bytes);
    input += bytes;
  });
}

}  // namespace kws
