// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/kernels/shared/broadcast.h"

namespace kws {
namespace {

// Dimension `i` from the last; 1 beyond the rank.
int32_t DimFromLast(const Tensor& tensor, int i) {
  return i < tensor.rank ? tensor.dims[tensor.rank - 1 - i] : 1;
}

}  // namespace

Status BinaryOp::Read(const PrepareContext& context) {
  KWS_RETURN_IF_ERROR(context.Input(0, &a));
  KWS_RETURN_IF_ERROR(context.Input(1, &b));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (a.type != TensorType::kInt8 || b.type != TensorType::kInt8 ||
      output.type != TensorType::kInt8) {
    return Status::kUnsupportedType;
  }
  return PlanWalk();
}

Status BinaryOp::ReadType(const PrepareContext& context, TensorType type) {
  KWS_RETURN_IF_ERROR(context.Input(0, &a));
  KWS_RETURN_IF_ERROR(context.Input(1, &b));
  KWS_RETURN_IF_ERROR(context.Output(0, &output));
  if (a.type != type || b.type != type || output.type != type) return Status::kUnsupportedType;
  return PlanWalk();
}

// Merges neighbouring dimensions that broadcast the same inputs into one loop.
Status BinaryOp::PlanWalk() {
  const Tensor* inputs[2] = {&a, &b};
  int32_t sizes[2] = {1, 1};   // elements of each input in the dimensions so far
  int32_t walked[2] = {0, 0};  // each input's position after these
  bool moves[2] = {};          // in the newest loop
  int count = 0;               // loops, including the run
  broadcast = Broadcast{1, {1, 1}, 0};
  for (int i = 0; i < kMaxRank; ++i) {
    const int32_t dim = DimFromLast(output, i);
    bool present[2];
    for (int k = 0; k < 2; ++k) {
      const int32_t input_dim = DimFromLast(*inputs[k], i);
      if (input_dim != dim && input_dim != 1) return Status::kUnsupportedShape;
      present[k] = input_dim == dim;
    }
    if (dim == 1) continue;
    if (!present[0] && !present[1]) return Status::kUnsupportedShape;
    const bool join = count > 0 && present[0] == moves[0] && present[1] == moves[1];
    if (!join) ++count;
    const bool in_run = count == 1;
    BroadcastLoop* loop = in_run ? nullptr : &loops[count - 2];
    if (in_run) {
      broadcast.run *= dim;
    } else {
      loop->count = join ? loop->count * dim : dim;
    }
    for (int k = 0; k < 2; ++k) {
      const int32_t step = present[k] ? sizes[k] : 0;
      moves[k] = present[k];
      if (present[k]) sizes[k] *= dim;
      if (in_run) {
        broadcast.steps[k] = present[k] ? 1 : 0;
        walked[k] = present[k] ? broadcast.run : 0;
      } else {
        if (!join) loop->jumps[k] = step - walked[k];
        walked[k] += step * (dim - 1);
      }
    }
  }
  broadcast.loops = static_cast<uint8_t>(count == 0 ? 0 : count - 1);
  return Status::kOk;
}

void BinaryOp::Bind(PrepareContext& context) const {
  context.BindInput(kInputA, 0);
  context.BindInput(kInputB, 1);
  context.BindOutput(kOutput, 0);
  // Elements are computed in order, so the output may overwrite an input of the same size.
  if (b.elements == output.elements) context.AllowOverlap(1, 0, PlanEntry::kInOrder);
  if (a.elements == output.elements) context.AllowOverlap(0, 0, PlanEntry::kInOrder);
}

void InvokeBinary(const InvokeContext& context, const Broadcast& broadcast,
                  const BroadcastLoop* loops, BinaryRun run) {
  const int8_t* a = context.Data<int8_t>(BinaryOp::kInputA);
  const int8_t* b = context.Data<int8_t>(BinaryOp::kInputB);
  int8_t* output = context.MutableData<int8_t>(BinaryOp::kOutput);
  int32_t counters[kMaxRank] = {};
  for (;;) {
    run(context, a, b, output);
    a += broadcast.steps[0] * broadcast.run;
    b += broadcast.steps[1] * broadcast.run;
    output += broadcast.run;
    int loop = 0;
    while (loop < broadcast.loops && ++counters[loop] == loops[loop].count) counters[loop++] = 0;
    if (loop == broadcast.loops) return;
    a += loops[loop].jumps[0];
    b += loops[loop].jumps[1];
  }
}

}  // namespace kws
