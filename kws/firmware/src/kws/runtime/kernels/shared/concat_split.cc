// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/concat_split.h"

#include "kws/runtime/kernels/loops/copy.h"
#include "kws/runtime/kernels/shared/strided_copy.h"

namespace kws {
namespace {

constexpr int kWhole = 0;  // data references
constexpr int kFirstPart = 1;
constexpr int kMaxParts = 254;  // a record counts its references in one byte

// Followed by the bytes of each part per row.
struct alignas(4) Params {
  int32_t rows;  // the product of the dimensions before the axis
  int32_t parts;
  int32_t row_bytes;
};

// `part_bytes`: one value per part.
template <typename GetPart>
Status Measure(const Tensor& whole, int32_t axis, int parts, const GetPart& get_part,
               Params* params, int32_t* part_bytes) {
  int32_t steps[kMaxRank];
  ByteSteps(whole, steps);
  int32_t total = 0;
  for (int p = 0; p < parts; ++p) {
    Tensor part;
    KWS_RETURN_IF_ERROR(get_part(p, &part));
    if (part.type != whole.type) return Status::kUnsupportedType;
    if (part.rank != whole.rank) return Status::kUnsupportedShape;
    for (int i = 0; i < whole.rank; ++i) {
      if (i != axis && part.dims[i] != whole.dims[i]) return Status::kUnsupportedShape;
    }
    if (part.dims[axis] > whole.dims[axis] - total) return Status::kUnsupportedShape;
    total += part.dims[axis];
    part_bytes[p] = part.dims[axis] * steps[axis];
  }
  if (total != whole.dims[axis]) return Status::kUnsupportedShape;
  params->parts = parts;
  params->row_bytes = total * steps[axis];
  params->rows = static_cast<int32_t>(whole.bytes) / params->row_bytes;
  return Status::kOk;
}

// Also makes *axis non-negative.
Status CheckWhole(const Tensor& whole, int parts, int32_t* axis) {
  if (whole.bytes == 0) return Status::kUnsupportedType;
  if (parts < 1) return Status::kBadModel;
  if (parts > kMaxParts) return Status::kUnsupportedOption;
  if (*axis < 0) *axis += whole.rank;
  return *axis >= 0 && *axis < whole.rank ? Status::kOk : Status::kBadModel;
}

// Parts of one shape, which is the whole's without the axis.
template <typename GetPart>
Status MeasureStack(const Tensor& whole, int32_t axis, int parts, const GetPart& get_part,
                    Params* params, int32_t* part_bytes) {
  int32_t steps[kMaxRank];
  ByteSteps(whole, steps);
  if (whole.dims[axis] != parts) return Status::kUnsupportedShape;
  for (int p = 0; p < parts; ++p) {
    Tensor part;
    KWS_RETURN_IF_ERROR(get_part(p, &part));
    if (part.type != whole.type) return Status::kUnsupportedType;
    if (part.rank != whole.rank - 1) return Status::kUnsupportedShape;
    for (int i = 0; i < part.rank; ++i) {
      if (part.dims[i] != whole.dims[i < axis ? i : i + 1]) return Status::kUnsupportedShape;
    }
    part_bytes[p] = steps[axis];
  }
  params->parts = parts;
  params->row_bytes = parts * steps[axis];
  params->rows = static_cast<int32_t>(whole.bytes) / params->row_bytes;
  return Status::kOk;
}

// Calls move(part's data, whole's data, bytes) for each part of each row.
template <typename Byte, typename GetPart, typename Move>
void ForEachPart(const InvokeContext& context, Byte* whole, const GetPart& get_part,
                 const Move& move) {
  const Params& params = context.Params<Params>();
  const int32_t* part_bytes = context.Extra<int32_t, Params>();
  for (int32_t p = 0; p < params.parts; ++p) {
    const int32_t bytes = part_bytes[p];
    auto* part = get_part(kFirstPart + p);
    Byte* at = whole;
    for (int32_t row = params.rows; row > 0; --row) {
      move(part, at, bytes);
      part += bytes;
      at += params.row_bytes;
    }
    whole += bytes;
  }
}

}  // namespace

Status PrepareConcat(PrepareContext& context, int32_t axis) {
  Tensor whole;
  KWS_RETURN_IF_ERROR(context.Output(0, &whole));
  const int parts = context.inputs();
  KWS_RETURN_IF_ERROR(CheckWhole(whole, parts, &axis));
  Params* params;
  KWS_RETURN_IF_ERROR(
      context.Allocate(kFirstPart + parts, &params, 4 * static_cast<uint32_t>(parts)));
  context.BindOutput(kWhole, 0);
  const auto get_part = [&](int p, Tensor* part) {
    KWS_RETURN_IF_ERROR(context.Input(p, part));
    context.BindInput(kFirstPart + p, p);
    // Integers are copied unchanged, so their quantization must be the same.
    if (whole.scale_count > 0 &&
        (part->scale != whole.scale || part->zero_point != whole.zero_point)) {
      return Status::kBadQuantization;
    }
    return Status::kOk;
  };
  return Measure(whole, axis, parts, get_part, params, reinterpret_cast<int32_t*>(params + 1));
}

void InvokeConcat(const InvokeContext& context) {
  ForEachPart(
      context, context.MutableData<uint8_t>(kWhole),
      [&](int reference) { return context.Data<uint8_t>(reference); },
      [](const uint8_t* part, uint8_t* whole, int32_t bytes) { CopyForward(whole, part, bytes); });
}

Status PrepareSplit(PrepareContext& context, int whole_input, int axis_input) {
  Tensor whole;
  uint32_t axis_position;
  KWS_RETURN_IF_ERROR(context.Input(whole_input, &whole));
  KWS_RETURN_IF_ERROR(ConstantInts(context, axis_input, 1, &axis_position));
  int32_t axis = context.model().At<int32_t>(axis_position);
  const int parts = context.outputs();
  KWS_RETURN_IF_ERROR(CheckWhole(whole, parts, &axis));
  Params* params;
  KWS_RETURN_IF_ERROR(
      context.Allocate(kFirstPart + parts, &params, 4 * static_cast<uint32_t>(parts)));
  context.BindInput(kWhole, whole_input);
  const auto get_part = [&](int p, Tensor* part) {
    context.BindOutput(kFirstPart + p, p);
    return context.Output(p, part);
  };
  return Measure(whole, axis, parts, get_part, params, reinterpret_cast<int32_t*>(params + 1));
}

Status PreparePack(PrepareContext& context, int32_t axis) {
  Tensor whole;
  KWS_RETURN_IF_ERROR(context.Output(0, &whole));
  const int parts = context.inputs();
  KWS_RETURN_IF_ERROR(CheckWhole(whole, parts, &axis));
  Params* params;
  KWS_RETURN_IF_ERROR(
      context.Allocate(kFirstPart + parts, &params, 4 * static_cast<uint32_t>(parts)));
  context.BindOutput(kWhole, 0);
  const auto get_part = [&](int p, Tensor* part) {
    KWS_RETURN_IF_ERROR(context.Input(p, part));
    context.BindInput(kFirstPart + p, p);
    return Status::kOk;
  };
  return MeasureStack(whole, axis, parts, get_part, params, reinterpret_cast<int32_t*>(params + 1));
}

Status PrepareUnpack(PrepareContext& context, int32_t axis) {
  Tensor whole;
  KWS_RETURN_IF_ERROR(context.Input(0, &whole));
  const int parts = context.outputs();
  KWS_RETURN_IF_ERROR(CheckWhole(whole, parts, &axis));
  Params* params;
  KWS_RETURN_IF_ERROR(
      context.Allocate(kFirstPart + parts, &params, 4 * static_cast<uint32_t>(parts)));
  context.BindInput(kWhole, 0);
  const auto get_part = [&](int p, Tensor* part) {
    context.BindOutput(kFirstPart + p, p);
    return context.Output(p, part);
  };
  return MeasureStack(whole, axis, parts, get_part, params, reinterpret_cast<int32_t*>(params + 1));
}

void InvokeSplit(const InvokeContext& context) {
  ForEachPart(
      context, context.Data<uint8_t>(kWhole),
      [&](int reference) { return context.MutableData<uint8_t>(reference); },
      [](uint8_t* part, const uint8_t* whole, int32_t bytes) { CopyForward(part, whole, bytes); });
}

}  // namespace kws
