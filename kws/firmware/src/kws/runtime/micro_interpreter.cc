// SPDX-License-Identifier: Apache-2.0
#include "kws/runtime/micro_interpreter.h"

#include <cstring>

#include "kws/runtime/graph_builder.h"
#include "kws/runtime/kernel_context.h"

namespace kws {
namespace {

constexpr uintptr_t kArenaAlignment = 16;
constexpr size_t kMaxArenaBytes = 1u << 30;  // offsets fit in 31 bits

}  // namespace

MicroInterpreter::MicroInterpreter(const Model& model, const OpResolver& resolver, uint8_t* arena,
                                   size_t arena_size)
    : model_(model), resolver_(resolver) {
  const uintptr_t skip = (0 - reinterpret_cast<uintptr_t>(arena)) & (kArenaAlignment - 1);
  const size_t size = arena == nullptr || arena_size < skip ? 0 : arena_size - skip;
  arena_ = arena == nullptr ? nullptr : arena + skip;
  arena_size_ = static_cast<uint32_t>(size < kMaxArenaBytes ? size : kMaxArenaBytes);
}

Status MicroInterpreter::AllocateTensors() {
  allocated_ = false;
  layout_ = ArenaLayout{};
  error_ = ErrorDetail{};
  if (arena_ == nullptr) return Status::kBadArgument;
  const Status status =
      GraphBuilder(model_, resolver_, arena_, arena_size_, &layout_).Build(&error_);
  if (status != Status::kOk) {
    layout_ = ArenaLayout{};
    return status;
  }
  allocated_ = true;
  return Reset();
}

Status MicroInterpreter::Invoke() {
  if (!allocated_) return Status::kNotAllocated;
  const uint8_t* at = arena_ + layout_.main_records;
  const int count = layout_.record_count - layout_.once_count;
  InvokeContext context(arena_, model_.data());
  for (int i = 0; i < count; ++i) {
    const RecordHeader* record = reinterpret_cast<const RecordHeader*>(at);
    const Registration& op = resolver_.at(record->registration);
    if (profiler_ != nullptr) profiler_->BeginOp(i, op.code);
    context.Select(record);
    op.invoke(context);
    if (profiler_ != nullptr) profiler_->EndOp(i);
    if (task_ != nullptr) task_->Run();
    at += 4 * record->words;
  }
  return Status::kOk;
}

Status MicroInterpreter::Reset() {
  if (!allocated_) return Status::kNotAllocated;
  std::memset(arena_, 0, layout_.variables_bytes);
  Run(layout_.record_count, &Registration::reset);
  Run(layout_.once_count, &Registration::invoke);
  return Status::kOk;
}

void MicroInterpreter::Run(int count, Registration::Run Registration::*function) {
  const uint8_t* at = arena_ + layout_.records;
  InvokeContext context(arena_, model_.data());
  for (int i = 0; i < count; ++i) {
    const RecordHeader* record = reinterpret_cast<const RecordHeader*>(at);
    const Registration::Run run = resolver_.at(record->registration).*function;
    context.Select(record);
    if (run != nullptr) run(context);
    at += 4 * record->words;
  }
}

TensorView MicroInterpreter::input(size_t index) const {
  return index < layout_.input_count ? View(index) : TensorView{};
}

TensorView MicroInterpreter::output(size_t index) const {
  return index < layout_.output_count ? View(layout_.input_count + index) : TensorView{};
}

TensorView MicroInterpreter::View(size_t index) const {
  const int32_t* pair = reinterpret_cast<const int32_t*>(arena_ + layout_.ios) + 2 * index;
  Model::Subgraph graph;
  Tensor tensor;
  TensorView view;
  if (model_.GetSubgraph(0, &graph) != Status::kOk ||
      model_.GetTensor(graph, static_cast<uint32_t>(pair[0]), &tensor) != Status::kOk) {
    return view;
  }
  view.type = tensor.type;
  view.rank = tensor.rank;
  for (int i = 0; i < tensor.rank; ++i) view.dims[i] = tensor.dims[i];
  view.scale = tensor.scale;
  view.zero_point = tensor.zero_point;
  view.bytes = tensor.bytes;
  view.data = arena_ + pair[1];
  return view;
}

}  // namespace kws
