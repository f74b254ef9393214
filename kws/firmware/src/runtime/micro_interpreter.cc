#include "runtime/micro_interpreter.h"

#include <cstring>

#include "runtime/graph_builder.h"
#include "runtime/kernel_context.h"

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
  used_ = 0;
  input_count_ = 0;
  output_count_ = 0;
  error_ = ErrorDetail{};
  if (arena_ == nullptr) return Status::kBadArgument;
  GraphBuilder builder(model_, resolver_, arena_, arena_size_);
  GraphBuilder::Layout layout;
  KWS_RETURN_IF_ERROR(builder.Build(&layout, &error_));
  used_ = layout.used;
  ios_ = layout.ios;
  records_ = layout.records;
  main_records_ = layout.main_records;
  variables_bytes_ = layout.variables_bytes;
  record_count_ = layout.record_count;
  once_count_ = layout.once_count;
  input_count_ = layout.input_count;
  output_count_ = layout.output_count;
  allocated_ = true;
  return Reset();
}

Status MicroInterpreter::Invoke() {
  if (!allocated_) return Status::kNotAllocated;
  const uint8_t* at = arena_ + main_records_;
  const int count = record_count_ - once_count_;
  for (int i = 0; i < count; ++i) {
    const RecordHeader* record = reinterpret_cast<const RecordHeader*>(at);
    const Registration& op = resolver_.at(record->registration);
    if (profiler_ != nullptr) profiler_->BeginOp(i, op.code);
    op.invoke(InvokeContext(arena_, model_.data(), record));
    if (profiler_ != nullptr) profiler_->EndOp(i);
    at += 4 * record->words;
  }
  return Status::kOk;
}

Status MicroInterpreter::Reset() {
  if (!allocated_) return Status::kNotAllocated;
  std::memset(arena_, 0, variables_bytes_);
  const uint8_t* at = arena_ + records_;
  for (int i = 0; i < record_count_; ++i) {
    const RecordHeader* record = reinterpret_cast<const RecordHeader*>(at);
    const Registration& op = resolver_.at(record->registration);
    if (op.reset != nullptr) op.reset(InvokeContext(arena_, model_.data(), record));
    at += 4 * record->words;
  }
  at = arena_ + records_;
  for (int i = 0; i < once_count_; ++i) {
    const RecordHeader* record = reinterpret_cast<const RecordHeader*>(at);
    resolver_.at(record->registration).invoke(InvokeContext(arena_, model_.data(), record));
    at += 4 * record->words;
  }
  return Status::kOk;
}

TensorView MicroInterpreter::input(size_t index) const {
  return index < input_count_ ? View(index) : TensorView{};
}

TensorView MicroInterpreter::output(size_t index) const {
  return index < output_count_ ? View(input_count_ + index) : TensorView{};
}

TensorView MicroInterpreter::View(size_t index) const {
  const int32_t* pair = reinterpret_cast<const int32_t*>(arena_ + ios_) + 2 * index;
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
